import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { build, built } from './programs.ts'

const COUNT = 10_000

let state = 42
const draw = (below: number): number => {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
  return (state >>> 8) % below
}
const pick = (list: readonly string[]): string => list[draw(list.length)] ?? ''

const CHARACTERS = [
  'a',
  'é',
  '€',
  '😀',
  '\\n',
  '\\u0000',
  '\\u00e9',
  '\\ud83d\\ude00',
  '\\ud800',
  '\\udc00x',
  '\\"',
  '\\\\',
  '\\/',
  '\u2028',
  '\u007f',
  ' ',
]
const NUMBERS = [
  '0',
  '-0',
  '1',
  '-1.5',
  '1e3',
  '1E-7',
  '123456789012345678901234567890',
  '0.1',
  '1e400',
  '-1e-400',
  '4294967296',
  '2147483648',
  '9007199254740993',
  '5e-324',
  '1.7976931348623157e308',
]
const KEYS = [
  '__proto__',
  'constructor',
  'toString',
  'length',
  '0',
  '1',
  '4294967295',
  '-1',
  '01',
  'a',
  '',
  'é',
  '\\u0061',
  '\\ud800',
]
/** Texts that make a document invalid at most positions. */
const DAMAGE = [
  ',',
  '}',
  ']',
  '"',
  '01',
  '+1',
  '.5',
  '1.',
  "'a'",
  'NaN',
  'undefined',
  '\\',
  '\u0001',
  'tru',
  '/**/',
  '\ufeff',
  '\u00a0',
  'e',
  ':',
  '0x1',
  '-',
]

const text = (): string => `"${Array.from({ length: draw(6) }, () => pick(CHARACTERS)).join('')}"`
const space = (): string => pick(['', '', '', ' ', '\t', '\r '])

function value(depth: number): string {
  const kind = draw(depth > 5 ? 4 : 7)
  if (kind === 0) return pick(NUMBERS)
  if (kind === 1) return text()
  if (kind === 2) return pick(['true', 'false', 'null'])
  if (kind === 3) return String((draw(2 ** 24) - 2 ** 23) / 2 ** draw(30))
  const items = Array.from({ length: draw(5) }, () => space() + value(depth + 1) + space())
  if (kind === 4) return `[${items.join(',')}]`
  return `{${items.map((item) => `${space()}"${pick(KEYS)}"${space()}:${item}`).join(',')}}`
}

function document(): string {
  const whole = space() + value(0)
  if (draw(3) > 0) return whole
  const at = draw(whole.length + 1)
  // A lone surrogate cannot be passed to the program: encoding replaces it.
  const damaged = whole.slice(0, at) + pick(DAMAGE) + whole.slice(at + draw(3))
  return new TextDecoder().decode(new TextEncoder().encode(damaged))
}

const PROGRAM = `host.main = () => {
  let input = ''
  const chunk = new Uint8Array(1 << 20)
  const chunks = []
  for (let got; (got = host.syscall(0, 0, chunk, chunk.length)) > 0; ) chunks.push(chunk.slice(0, got))
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const one of chunks) { all.set(one, at); at += one.length }
  for (const line of host.decode(all).split('\\n')) {
    try { print(JSON.stringify(JSON.parse(line))) } catch (error) { print(error.name) }
  }
}`

describe.skipIf(!built)('JSON', () => {
  it(`reads and writes ${COUNT} random documents like Node, and rejects the same`, () => {
    const documents = Array.from({ length: COUNT }, document)
    const { stdout } = spawnSync(build(PROGRAM).program, {
      input: documents.join('\n'),
      encoding: 'utf8',
      maxBuffer: 1e8,
    })
    const expected = documents.map((one) => {
      try {
        return JSON.stringify(JSON.parse(one))
      } catch {
        return 'SyntaxError'
      }
    })
    const refused = expected.filter((one) => one === 'SyntaxError').length
    expect(refused).toBeGreaterThan(COUNT / 10)
    expect(refused).toBeLessThan(COUNT / 2)
    const lines = stdout.split('\n').slice(0, -1)
    expect(lines.length).toBe(COUNT)
    const different = documents.flatMap((one, i) =>
      lines[i] === expected[i] ? [] : [{ one, small: lines[i], node: expected[i] }],
    )
    expect(different.slice(0, 20)).toEqual([])
  })
})
