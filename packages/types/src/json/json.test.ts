import { expect, it } from 'vitest'
import { isCniError } from '../errors.ts'
import { parseJson } from './json.ts'

it.each([
  '{"token": s3cret}',
  '{"a": "s3cret',
  '"s3cret" s3cret',
  '{"s3cret',
  '[s3cret]',
  `{"x": ${'s3cret '.repeat(50)}}`,
])('the error for %j quotes nothing of the text', (text) => {
  let error: unknown
  try {
    parseJson(text, 'cannot read it')
  } catch (caught) {
    error = caught
  }
  expect(isCniError(error)).toBe(true)
  expect(error).toMatchObject({ code: 6, message: expect.stringMatching(/^cannot read it: \S/) })
  expect(error).not.toHaveProperty('cause')
  expect(String(error)).not.toContain('s3cret')
})
