import { expect, test } from 'vitest'
import { goQuote } from '../text/go-quote.ts'
import { goStringify } from './go-json.ts'

test('objects and arrays are indented, empty ones stay on one line', () => {
  expect(goStringify({ a: [1, { b: null }], c: [], d: {} }, { indent: 4 })).toBe(
    '{\n    "a": [\n        1,\n        {\n            "b": null\n        }\n    ],\n    "c": [],\n    "d": {}\n}',
  )
  expect(goStringify({ a: [1, { b: true }] })).toBe('{"a":[1,{"b":true}]}')
})

test('HTML characters and line separators are escaped in keys and values', () => {
  expect(goStringify({ '<&>': '\u2028\u2029<' })).toBe('{"\\u003c\\u0026\\u003e":"\\u2028\\u2029\\u003c"}')
})

test('a lone surrogate becomes the replacement character, a pair stays', () => {
  expect(goStringify('a\ud800b😀')).toBe('"a\ufffdb😀"')
})

test('control characters get short escapes if JSON has one', () => {
  expect(goStringify('\b\f\n\r\t\u0001\u007f"\\')).toBe('"\\b\\f\\n\\r\\t\\u0001\u007f\\"\\\\"')
})

test('the option sortKeys sorts keys by code point at every level, numeric keys included', () => {
  expect(goStringify({ b: { 10: 1, 9: 2, '-': 3 }, a: 0, '😀': 1, '\uffee': 2 }, { sortKeys: true })).toBe(
    '{"a":0,"b":{"-":3,"10":1,"9":2},"\uffee":2,"😀":1}',
  )
})

test('undefined members are omitted; in arrays they become null', () => {
  expect(goStringify({ a: undefined, b: [undefined], c: () => 1 })).toBe('{"b":[null]}')
  expect(goStringify(undefined)).toBe('null')
  expect(goStringify({ at: new Date(0) })).toBe('{"at":"1970-01-01T00:00:00.000Z"}')
})

test('a member named __proto__ is printed like any other', () => {
  expect(goStringify(JSON.parse('{"__proto__":{"x":1}}'), { sortKeys: true })).toBe('{"__proto__":{"x":1}}')
})

test.each([Number.NaN, Number.POSITIVE_INFINITY])('%d is rejected', (value) => {
  expect(() => goStringify({ value })).toThrow('cannot encode as JSON')
})

test.each([new Map([['a', 1]]), new Set([1])])('%o is rejected, because JSON would print {}', (value) => {
  expect(() => goStringify({ value })).toThrow(/^cannot encode as JSON: a (Map|Set) is no JSON object$/)
})

test('a cycle and very deep nesting are rejected', () => {
  const cycle: unknown[] = []
  cycle.push(cycle)
  expect(() => goStringify(cycle)).toThrow('nested deeper than')
  expect(() => goStringify(JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)))).toThrow('nested deeper than')
})

test.each([
  ['plain é 😀', '"plain é 😀"'],
  ['a "b" \\', '"a \\"b\\" \\\\"'],
  ['not json\n', '"not json\\n"'],
  ['\u0000\u0007\u007f', '"\\x00\\a\\x7f"'],
  ['\u00a0\u200b', '"\\u00a0\\u200b"'],
  ['\u{e0001}', '"\\U000e0001"'],
])('%j is quoted as %s', (text, quoted) => {
  expect(goQuote(text)).toBe(quoted)
})
