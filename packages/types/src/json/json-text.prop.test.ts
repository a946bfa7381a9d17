import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonDepth, jsonItems, jsonMembers, jsonValue } from './json-text.ts'

const json = fc.jsonValue({ maxDepth: 4 })
const space = fc.constantFrom(undefined, 1, '\t', '\n ', '\r\n')
const around = fc.stringMatching(/^[ \t\r\n]{0,3}$/)

/** Checks that the spans of a text match its value, at every level. */
function expectSpans(text: string, span: ReturnType<typeof jsonValue>, value: unknown): void {
  expect(JSON.parse(text.slice(span.start, span.end))).toEqual(value)
  if (Array.isArray(value)) {
    const items = jsonItems(text, span)
    expect(items).toHaveLength(value.length)
    for (const [index, item] of items.entries()) expectSpans(text, item, value[index])
  } else if (typeof value === 'object' && value !== null) {
    const members = jsonMembers(text, span)
    expect(members.map(({ key }) => key)).toEqual(Object.keys(value))
    for (const [index, one] of Object.values(value).entries()) {
      const member = members[index]
      if (member !== undefined) expectSpans(text, member.value, one)
    }
  }
}

test('every value of a text is located, with any white space', () => {
  fc.assert(
    fc.property(json, space, around, (value, indent, blanks) => {
      const text = blanks + JSON.stringify(value, null, indent) + blanks
      expectSpans(text, jsonValue(text), JSON.parse(text))
    }),
    { numRuns: Number(process.env.CNI_PROPERTY_RUNS ?? 100) },
  )
})

test('numbers and strings keep their spelling, and members of the same name are all listed', () => {
  const text = '{"a":-1.50e+3 ,"\\u0061":"\\\\\\"}]","b":[ null,true , {} ]}'
  const members = jsonMembers(text, jsonValue(text))
  expect(members.map(({ key, value }) => [key, text.slice(value.start, value.end)])).toEqual([
    ['a', '-1.50e+3'],
    ['a', '"\\\\\\"}]"'],
    ['b', '[ null,true , {} ]'],
  ])
  const items = jsonItems(text, members[2]?.value ?? { start: 0, end: 0 })
  expect(items.map(({ start, end }) => text.slice(start, end))).toEqual(['null', 'true', '{}'])
})

test('depth ignores brackets in strings, and hostile nesting does not end the process', () => {
  expect([jsonDepth('1'), jsonDepth('{"a":[[]],"b":"[[[["}')]).toEqual([0, 3])
  expect(jsonDepth('['.repeat(1_000_000))).toBe(1_000_000)
  const deep = `{"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}`
  expect(jsonMembers(deep, jsonValue(deep)).map(({ value }) => value.end)).toEqual([deep.length - 1])
  fc.assert(fc.property(fc.string(), (text) => jsonDepth(text) >= 0 && jsonValue(text).end >= 0))
})
