import { CNI_VERSIONS } from '@cni/types'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chooseVersion, isVersionRefusal, versionsInRefusal } from './delegate-version.ts'
import { PluginError } from './errors.ts'

const refusal = (details?: string, code = 1) =>
  new PluginError(
    code,
    'incompatible CNI versions',
    { plugin: 'local', reason: 'reported', exitCode: 1, signal: null, stderr: '' },
    { details },
  )

describe('chooseVersion', () => {
  test.each([
    ['1.1.0', ['1.0.0', '1.1.0'], '1.1.0'],
    ['1.1.0', ['0.4.0', '1.0.0'], '1.0.0'],
    ['1.1.0', ['1.0.0', '0.4.0'], '1.0.0'],
    ['0.4.0', ['1.0.0', '1.1.0'], '1.0.0'],
    ['0.3.0', ['0.2.0', '0.4.0'], '0.2.0'],
    ['9.0.0', ['1.1.0', '8.0.0'], '1.1.0'],
    ['9.0.0', ['9.0.0'], '9.0.0'],
    ['1.0.0', ['7.0.0', 'nonsense'], undefined],
    ['1.0.0', [], undefined],
    ['abc', ['1.0.0'], undefined],
    ['1.0.0.0', ['1.0.0'], undefined],
  ])('for a configuration of %s and a plugin of %j', (own, supported, chosen) => {
    expect(chooseVersion(own, supported)).toBe(chosen)
  })

  test("returns a version of the plugin, the nearest one at or below the configuration's", () => {
    const version = fc.constantFrom(...CNI_VERSIONS)
    fc.assert(
      fc.property(version, fc.subarray([...CNI_VERSIONS], { minLength: 1 }), (own, supported) => {
        const rankOf = (one = '') => CNI_VERSIONS.map(String).indexOf(one)
        const [chosen, rank] = [rankOf(chooseVersion(own, supported)), rankOf(own)]
        const ranks = supported.map((one) => rankOf(one))
        expect(ranks).toContain(chosen)
        const below = ranks.filter((one) => one <= rank)
        expect(chosen).toBe(below.length > 0 ? Math.max(...below) : Math.min(...ranks))
      }),
    )
  })
})

test.each([
  ['config is "1.1.0", plugin supports ["0.4.0" "1.0.0"]', ['0.4.0', '1.0.0']],
  ['config is "1.1.0", plugin supports ["0.4.0", "1.0.0"]', ['0.4.0', '1.0.0']],
  ['config is "1.1.0", plugin supports []', undefined],
  ['config is "1.1.0", plugin supports ["x"]', undefined],
  ['supports "1.0.0"', undefined],
  [undefined, undefined],
])('a refusal with the details %j names the versions %j', (details, versions) => {
  expect(versionsInRefusal(refusal(details))).toEqual(versions)
})

test('only code 1 reported by the plugin is a version refusal', () => {
  expect(isVersionRefusal(refusal())).toBe(true)
  expect([refusal('', 7), new Error('1'), undefined].some(isVersionRefusal)).toBe(false)
})
