import { expect, test } from 'vitest'
import { CNI_VERSIONS, compareVersions, gt, gte, isCniVersion, parseVersion } from './versions.ts'

test.each([
  ['', [0, 1, 0]],
  ['1', [1, 0, 0]],
  ['1.1', [1, 1, 0]],
  ['0.3.1', [0, 3, 1]],
  ['-1.0.0', [-1, 0, 0]],
])('%j parses as %j', (text, numbers) => {
  expect(parseVersion(text)).toEqual(numbers)
})

test.each(['abc', '1.1.0-rc1', '1.1.0.0', '1..0', '.', ' 1.0.0', '1.0.0\n', '1e3', '9'.repeat(400)])(
  '%j is rejected with code 6',
  (text) => {
    expect(() => parseVersion(text)).toThrow(expect.objectContaining({ code: 6 }))
    expect(() => gte('1.0.0', text)).toThrow(expect.objectContaining({ code: 6 }))
  },
)

test('versions compare by number: 1.1 equals 1.1.0 and 0.10.0 is newer than 0.9.0', () => {
  expect(compareVersions('1.1', '1.1.0')).toBe(0)
  expect(gt('0.10.0', '0.9.0')).toBe(true)
  expect(gte('0.4.0', '0.4.0')).toBe(true)
  expect(gt('0.4.0', '0.4.0')).toBe(false)
  expect(gte('', '0.4.0')).toBe(false)
  expect(CNI_VERSIONS.toSorted(compareVersions)).toEqual(CNI_VERSIONS)
})

test('a known version must match exactly', () => {
  expect(CNI_VERSIONS.every(isCniVersion)).toBe(true)
  expect(['1.1', '1.2.0', '', undefined, 1].some(isCniVersion)).toBe(false)
})
