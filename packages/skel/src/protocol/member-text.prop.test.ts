import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { knownMemberText, memberText } from './member-text.ts'

describe('the text of a member', () => {
  it("parses to the member's value, for any object, spacing and nesting", () => {
    const json = fc.jsonValue({ noUnicodeString: false })
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), fc.constantFrom(undefined, 1, '\t', '\n '), (object, space) => {
        const text = JSON.stringify(object, undefined, space)
        for (const name of Object.keys(object)) {
          expect(JSON.parse(memberText(text, name) ?? 'false')).toEqual(JSON.parse(text)[name])
        }
        expect(memberText(text, 'no such member\u0000')).toBeUndefined()
      }),
    )
  })

  it('is found by both functions, also if other names and strings look alike', () => {
    const texts = fc.constantFrom('a', 'b', '"a"', '\\', 'a":1,"')
    const json = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 3 }, texts, fc.nat(), fc.array(tie('value'), { maxLength: 3 }), tie('object')),
      object: fc.dictionary(texts, tie('value'), { maxKeys: 3 }),
    })).object
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 1), fc.boolean(), (object, space, spaced) => {
        const text = JSON.stringify({ ...object, a: object.a ?? [1] }, undefined, space)
        const loose = spaced ? text.replaceAll('":', '" : ') : text
        expect(knownMemberText(loose, 'a')).toBe(memberText(loose, 'a'))
      }),
    )
  })
})
