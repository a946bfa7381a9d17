import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { escapeUnsafe, escapeUnsafeLines, replaceUnsafe } from './unsafe-text.ts'

describe('a character that acts on a terminal or a log', () => {
  test.each([
    ['C0', '\u0000\u0007\b\u001b[2J', '\\u0000\\u0007\\u0008\\u001b[2J'],
    ['line ends', '\n\r\t\u0085\u2028\u2029', '\\n\\r\\t\\u0085\\u2028\\u2029'],
    ['DEL and C1', '\u007f\u0080\u009b2J\u009d\u009f', '\\u007f\\u0080\\u009b2J\\u009d\\u009f'],
    ['embeddings, overrides', '\u202a\u202b\u202c\u202d\u202e', '\\u202a\\u202b\\u202c\\u202d\\u202e'],
    ['isolates', '\u2066\u2067\u2068\u2069', '\\u2066\\u2067\\u2068\\u2069'],
    ['direction marks', '\u200e\u200f\u061c', '\\u200e\\u200f\\u061c'],
    ['invisible characters', '\u00ad\u200b\u200d\u2060\ufeff', '\\u00ad\\u200b\\u200d\\u2060\\ufeff'],
    ['tags', 'a\u{e0001}\u{e0061}', 'a\\udb40\\udc01\\udb40\\udc61'],
  ])('is escaped: %s', (_, text, escaped) => {
    expect(escapeUnsafe(text)).toBe(escaped)
  })

  test('is every Unicode control, format and separator character, and no visible one', () => {
    const wrong: string[] = []
    for (let point = 0; point <= 0x10ffff; point += 1) {
      const character = String.fromCodePoint(point)
      const isUnsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(character)
      const isSeen = /[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]/u.test(character)
      if ((isUnsafe || isSeen) && isUnsafe === (escapeUnsafe(character) === character)) wrong.push(point.toString(16))
    }
    expect(wrong).toEqual([])
  })

  test('is escaped in JSON without changing the value', () => {
    const unit = fc.constantFrom(...'a"\\\n\u0000\u001b\u007f\u009b\u2028\u202e\u2066\ufeff\u{e0061}\u{1f600}')
    const property = fc.property(fc.dictionary(fc.string({ unit }), fc.string({ unit })), (value) => {
      const text = JSON.stringify(value)
      expect(JSON.parse(escapeUnsafe(text))).toEqual(JSON.parse(text))
    })
    fc.assert(property)
  })

  test('is escaped line by line without changing the layout', () => {
    expect(escapeUnsafeLines('a\n\tb\r\n\u009bc')).toBe('a\n\tb\\r\n\\u009bc')
  })

  test('is replaced by a literal text', () => {
    expect(replaceUnsafe('a\u009b\u202eb', '$&')).toBe('a$&$&b')
  })
})
