import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseBlockYaml } from './block-yaml.ts'

const key = fc.constantFrom('a', 'name', 'user', 'server', 'current-context', 'x.y', 'true', 'null', 'A1')
const scalar = fc.oneof(
  fc.constantFrom(
    'b',
    '',
    '{}',
    '[]',
    '~',
    'null',
    'true',
    'False',
    '12',
    '-1',
    '.inf',
    '1.',
    '.5',
    '0x1f',
    '0o7',
    '1e3',
    '+1',
  ),
  fc.constantFrom(
    'https://[::1]:443',
    'a@b',
    '"x"',
    "'y''z'",
    '"',
    "'",
    '""',
    'a: b',
    'a:',
    'a #b',
    '#c',
    '- d',
    '-',
    '|',
    '>',
    '*a',
    '&a',
  ),
  fc.base64String({ minLength: 1, maxLength: 24 }),
  fc.string({ maxLength: 12 }),
)
const line = fc
  .tuple(
    fc.nat({ max: 6 }),
    fc.constantFrom('', '- ', '- - '),
    fc.option(key),
    fc.constantFrom(': ', ':', ' :'),
    scalar,
  )
  .map(
    ([indent, dash, name, colon, value]) => `${' '.repeat(indent)}${dash}${name === null ? '' : name + colon}${value}`,
  )
const document = fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n'))

test('whatever is accepted means the same to a YAML library', () => {
  fc.assert(
    fc.property(fc.oneof(document, fc.string(), fc.string({ unit: 'binary' })), (text) => {
      const value = parseBlockYaml(text)
      if (value !== undefined) expect(value).toStrictEqual(parse(text, { logLevel: 'silent' }))
    }),
    { numRuns: 8000 },
  )
})

const scalarValue = fc.oneof(
  fc.boolean(),
  fc.constant(null),
  fc.constant(''),
  fc.stringMatching(/^[A-Za-z/][A-Za-z0-9+/=_.@-]{0,40}$/),
)
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalarValue,
    tie('mapping'),
    fc.array(fc.oneof(scalarValue, tie('mapping')), { maxLength: 3 }),
  ),
  mapping: fc.dictionary(fc.stringMatching(/^[A-Za-z][A-Za-z0-9_.-]{0,12}$/), tie('value'), {
    minKeys: 1,
    maxKeys: 4,
    noNullPrototype: true,
  }),
})).mapping

test('every document of block mappings in the style of kubectl is read without a YAML library', () => {
  const unusual = /^(?:null|true|false|~)$/i
  const usual = (value: unknown): boolean =>
    typeof value !== 'object' || value === null
      ? typeof value !== 'string' || !unusual.test(value)
      : Object.entries(value).every(([name, inner]) => (Array.isArray(value) || !unusual.test(name)) && usual(inner))
  fc.assert(
    fc.property(values.filter(usual), (value) => {
      expect(parseBlockYaml(print(value, ''))).toStrictEqual(value)
    }),
  )
})

/** Prints as Go's encoder does: sequences in the column of their key, their mappings two columns in. */
function print(value: unknown, indent: string): string {
  return Object.entries(value as object)
    .map(([name, inner]) => `${indent}${name}:${printValue(inner, indent)}`)
    .join('')
}

function printValue(value: unknown, indent: string): string {
  if (Array.isArray(value) && value.length > 0) {
    const items = value.map((item) =>
      isMapping(item)
        ? `${indent}- ${print(item, `${indent}  `).slice(indent.length + 2)}`
        : `${indent}- ${atom(item)}\n`,
    )
    return `\n${items.join('')}`
  }
  return isMapping(value) ? `\n${print(value, `${indent}  `)}` : ` ${atom(value)}\n`
}

const isMapping = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

const atom = (value: unknown): string =>
  value === '' ? '""' : Array.isArray(value) ? '[]' : value === null ? 'null' : String(value)
