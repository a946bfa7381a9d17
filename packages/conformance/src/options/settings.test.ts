import { expect, test } from 'vitest'
import { settingsOf } from './settings.ts'

const plugin = '/bin/true'
const list = (cniVersions: readonly string[]) => ({
  cniVersion: '0.4.0',
  cniVersions,
  name: 'pods',
  plugins: [{ type: 'true' }],
})

test.each([
  ['nothing is said: the plugin decides', {}, undefined],
  ['the configuration', { conf: { cniVersion: '0.4.0' } }, '0.4.0'],
  ['an empty one says nothing', { conf: { cniVersion: '' } }, undefined],
  ['a list', { conf: { cniVersion: '1.0.0', name: 'pods', plugins: [{ type: 'true' }] } }, '1.0.0'],
  ['a list of several: the newest that a runtime knows', { conf: list(['0.3.1', '1.0.0', '9.0.0']) }, '1.0.0'],
  ['who asks is right', { conf: { cniVersion: '1.0.0' }, cniVersion: '0.3.1' }, '0.3.1'],
] as const)('the version of configurations: %s', (_, options, version) => {
  expect(settingsOf({ plugin, ...options }).version).toBe(version)
})

test.each([
  [{ cniVersion: '1.2.0' }, 'UNKNOWN_VERSION', '"1.2.0" is no version of the specification; use one of 0.1.0'],
  [{ conf: { cniVersion: 5 } }, 'INVALID_CONFIG', "The configuration's cniVersion: 5 is no version"],
  [{ conf: { ...list(['1.x']) } }, 'INVALID_CONFIG', '1.x'],
  [{ share: ['/run'] }, 'INVALID_SHARE', '"/run" is not below /run and /var/lib/cni'],
])('%j is rejected: %s', (options, code, message) => {
  expect(() => settingsOf({ plugin, ...options })).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(message) }),
  )
})
