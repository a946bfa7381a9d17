import { describe, expect, it } from 'vitest'
import { built, run } from './programs.ts'

/** Output of the program, one JSON value a line. */
const printed = (body: string): unknown[] =>
  run(`const show = (value) => print(JSON.stringify(value))\nhost.main = () => {\n${body}\n}`)
    .stdout.trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describe.skipIf(!built)('text and memory', () => {
  it.each([
    '',
    'ascii',
    'é',
    '€',
    '😀',
    'a\ud800',
    '\udc00b',
    '\ud83d',
    '\ude00\ud83d',
    'x\ud800\udc00y'.repeat(50),
    '\u0000',
  ])('encodes %j like Node', (text) => {
    const [bytes] = printed(`show([...host.encode(${JSON.stringify(text)})])`)
    expect(bytes).toEqual([...new TextEncoder().encode(text)])
  })

  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])('encodes into %i bytes like Node', (room) => {
    const text = 'aé€😀\ud800z'
    const [result] = printed(
      `const view = new Uint8Array(${room}); const done = host.encodeInto(${JSON.stringify(text)}, view); show([done, [...view]])`,
    )
    const view = new Uint8Array(room)
    const done = new TextEncoder().encodeInto(text, view)
    expect(result).toEqual([done, [...view]])
  })

  it('decodes a part, and throws for invalid bytes only in fatal mode', () => {
    expect(
      printed(`const bytes = new Uint8Array([0x61, 0xc3, 0xa9, 0xff, 0x62])
show(host.decode(bytes)); show(host.decode(bytes, 1, 3, true)); show(host.decode(bytes, 4)); show(host.decode(bytes, 3, 2))
show(host.decode(bytes, -5, 99)); show(host.decode(bytes.buffer, 1, 2))
try { host.decode(bytes, 0, undefined, true) } catch (error) { show(error.name) }`),
    ).toEqual(['aé\ufffdb', 'é', 'b', '', 'aé\ufffdb', '\ufffd', 'TypeError'])
  })

  it('finds bytes from an offset', () => {
    expect(
      printed(`const bytes = host.encode('abcabc'); const find = (text, from) => show(host.find(bytes, host.encode(text), from))
find('c', 0); find('c', 3); find('c', 6); find('', 2); find('abcabcabc', 0); find('a', 99)`),
    ).toEqual([2, 5, -1, 2, -1, -1])
  })

  it('passes numbers, texts and memory to a system call, also empty and shared buffers', () => {
    expect(
      printed(`const pipe = new Int32Array(2)
show(host.syscall(293, pipe, 0))
show(host.syscall(1, pipe[1], new DataView(host.encode('xxhello').buffer, 2), 5))
const got = new Uint8Array(9)
show([host.syscall(0, pipe[0], got.subarray(1), 8), host.decode(got, 1, 6)])
show(host.syscall(257, -100, '/a\\0b', 0, 0)); show(host.syscall(257, -100n, '/no such file', 0, 0)); show(host.syscall(-1))
show(host.address(new Uint8Array(0)) > 0 && host.address(new SharedArrayBuffer(8)) > 0)
show(host.syscall(1, pipe[1], new Uint8Array(0), 0))
for (const wrong of [0.5, NaN, 2 ** 64, {}, Symbol('x')]) try { host.syscall(39, wrong); show('!') } catch (error) { show(error.name) }`),
    ).toEqual([0, 5, [5, 'hello'], -22, -2, -38, true, 0, ...Array(5).fill('TypeError')])
  })
})
