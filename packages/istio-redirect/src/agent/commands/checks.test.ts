import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkToken, duration } from './check-token.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'checks-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test.each([
  ['', 'fail', 'it is empty'],
  ['not a JWT', 'ok', '0 s old'],
  [`x.${Buffer.from('{"exp":1000}').toString('base64url')}.x`, 'fail', 'expired'],
  [`x.${Buffer.from('{"exp":"soon"}').toString('base64url')}.x`, 'ok', '0 s old'],
  [`x.${Buffer.from('{"exp":99999999999}').toString('base64url')}.x`, 'ok', 'valid for'],
])('the token %j is %s', (token, state, detail) => {
  const path = join(folder, 'token')
  writeFileSync(path, token)
  expect(checkToken(path, Date.now())).toMatchObject({ state, subject: path, detail: expect.stringContaining(detail) })
})

test('a token path that is not a file is reported at once', () => {
  expect(checkToken(folder, 0)).toMatchObject({ state: 'fail', detail: 'it is not a regular file' })
})

test.each([
  [0, '0 s'],
  [59_400, '59 s'],
  [60_000, '1 min'],
  [7_200_000, '2 h'],
  [90_000_000, '1 d'],
  [-5, '0 s'],
])('%i ms are %s', (ms, text) => {
  expect(duration(ms)).toBe(text)
})
