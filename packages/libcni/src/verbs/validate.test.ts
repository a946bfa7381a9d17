import { describe, expect, test } from 'vitest'
import { failure, fakeWorlds, list } from '../../test/fake-world.ts'

const worlds = fakeWorlds()

describe('validate', () => {
  test('returns the declared capabilities', async () => {
    const conflist = list('1.1.0', 'a', 'b')
    conflist.plugins[0] = { type: 'a', capabilities: { mac: true, ips: false } }
    conflist.plugins[1] = { type: 'b', capabilities: { portMappings: true, mac: true } }
    expect(await worlds.setUp({ a: {}, b: {} }).runtime.validate(conflist)).toEqual(['mac', 'portMappings'])
  })

  test('reports all errors', async () => {
    const old = { VERSION: { cniVersion: '0.4.0', supportedVersions: ['0.4.0'] } }
    const { runtime } = worlds.setUp({ a: old, b: {}, c: old })
    const error = await failure(runtime.validate(list('1.0.0', 'a', 'b', 'gone', 'c')))
    expect(error.message).toBe(
      '[plugin a does not support config version "1.0.0" ' +
        'failed to find plugin "gone" in path [/opt/cni/bin] ' +
        'plugin c does not support config version "1.0.0"]',
    )
  })

  test('a list without a version counts as 0.1.0', async () => {
    const { runtime } = worlds.setUp({ a: { VERSION: { cniVersion: '1.0.0', supportedVersions: ['1.0.0'] } } })
    await expect(runtime.validate(list(undefined, 'a'))).rejects.toThrow('does not support config version "0.1.0"')
  })
})
