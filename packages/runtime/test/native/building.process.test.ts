import { spawnSync } from 'node:child_process'
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { build, built, PLATFORM } from './programs.ts'

const MAIN = 'host.main = () => {}\n'

describe.skipIf(!built)('making an image', () => {
  it.each([
    ['host.syscall(39)', 'the system call getpid was used while the image was made'],
    ['host.syscall(257, -100, "/etc/passwd", 0, 0)', 'the system call openat was used'],
    ['host.syscall(460)', 'the system call 460 was used'],
    ['host.env()', 'the environment was used'],
    ['host.args()', 'the list of arguments was used'],
    ['host.now()', 'the clock was used'],
    ['host.spawn("/bin/true", [], [], [])', 'spawn was used'],
    ['try { host.now() } catch {}', 'the clock was used'],
    ['const f = async () => { try { host.now() } catch {} }\nawait f()', 'the clock was used'],
    ['host.warm = async () => { await 0; host.now() }', 'the clock was used'],
    ['await new Promise(() => {})', 'await at the top level of a module waits for something that only happens when'],
    ['host.warm = () => new Promise(() => {})', 'the warm-up waits for something'],
    ['throw new RangeError("not today")', 'RangeError: not today'],
    ['await Promise.reject(new RangeError("not today"))', 'RangeError: not today'],
    ['host.main = undefined', 'the program registers no main function'],
    ['await import("./other.js")', "could not load module 'other.js'"],
  ])('fails with a message for %s', (source, sentence) => {
    const { stderr, status } = build(MAIN + source)
    expect(stderr).toContain(sentence)
    expect(status).toBe(1)
  })

  it('names the line of the refused call', () => {
    const { stderr } = build(`${MAIN}function early() {\n  return host.now()\n}\nearly()\n`)
    const line = PLATFORM.split('\n').length + 2
    expect(stderr).toContain(`at early (in.js:${line}:`)
  })

  it('allows system calls for memory', () => {
    expect(build(`${MAIN}host.syscall(9, 0, 4096, 3, 34, -1, 0)`)).toMatchObject({ stderr: '', status: 0 })
  })

  it('has the same bytes for any environment and stack address', () => {
    const source = `${MAIN}
const many = Array.from({ length: 1000 }, (_, i) => ({ ['key' + i]: [i, String(i), i / 7] }))
const cycle = { many }
cycle.self = cycle
const views = [new Uint8Array(1000), new Map(many.map((one) => [one, 1])), /a+(b|c)/u, new WeakMap([[cycle, 1]])]
const generator = (function* () { yield* many })()
generator.next()
for (const text of ['one', 'two']) views.push(JSON.parse(JSON.stringify({ text, views: views.length })))
const later = async () => { await 0; await Promise.all([1, 2]) }
host.warm = later
host.keep = [generator, views, cycle]`
    const images = [{}, { LONG: 'x'.repeat(5000) }].map((env) => readFileSync(build(source, { env }).program))
    expect(images[0]?.equals(images[1] ?? Buffer.alloc(0))).toBe(true)
  })

  it.each([
    ['let x = ;', /^in\.js:\d+:\d+: SyntaxError: unexpected token in expression: ';'\n$/],
    ['import x from "nothing"', /^in\.js: SyntaxError: the import of "nothing" is not bundled\n$/],
  ])('reports the line of %s', (source, message) => {
    expect(build(source, { platform: '' })).toMatchObject({ stderr: expect.stringMatching(message), status: 1 })
  })

  it.each([
    ['cut off', (file: string) => truncateSync(file, 200), 'is cut off or longer than it was'],
    ['empty', (file: string) => truncateSync(file, 0), 'is not bytecode of cni-compile'],
    ['JavaScript', (file: string) => writeFileSync(file, 'x'.repeat(100)), 'is not bytecode of cni-compile'],
    [
      'of another version',
      (file: string) =>
        writeFileSync(file, Buffer.concat([Buffer.from('cni-bc\u0001\0another build'), Buffer.alloc(100)])),
      'was made by another version of cni-compile',
    ],
  ])('rejects bytecode that is %s', (_, damage, sentence) => {
    const { bytecode, program } = build(MAIN)
    damage(bytecode)
    const { stderr, status } = spawnSync(built, [bytecode, `${program}2`], { encoding: 'utf8' })
    expect(stderr).toContain(sentence)
    expect(status).toBe(1)
  })
})
