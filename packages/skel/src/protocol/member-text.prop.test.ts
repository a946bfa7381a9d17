import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memberText } from './member-text.ts'

describe('the text of a member', () => {
  it('is what the member is made of, for any object, spacing and nesting', () => {
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
})
