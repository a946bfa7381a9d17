import type { Conflist } from '@cni/types'
import { describe, expect, test } from 'vitest'
import { deriveConf, encodeConf } from './derive.ts'

// The two-plugin list of the specification's examples.
const list: Conflist = {
  cniVersion: '1.1.0',
  name: 'net1',
  extra: 'x',
  plugins: [
    { type: 'rec', z: 1, capabilities: { portMappings: true, mac: true, off: false } },
    { type: 'rec', name: 'other', cniVersion: '0.1.0', args: { cni: { x: 1 } } },
  ],
}
const [first = { type: '' }, second = { type: '' }] = list.plugins
const capabilityArgs = { portMappings: [1], unused: true }
const prevResult = { cniVersion: '1.1.0', ips: [{ address: '10.0.0.2/24' }], vendor: { kept: true } }

describe('deriveConf', () => {
  test('ADD of the first plugin has name and version of the list, and only declared capabilities', () => {
    expect(encodeConf(deriveConf(list, first, { command: 'ADD', capabilityArgs }))).toBe(
      '{"capabilities":{"mac":true,"off":false,"portMappings":true},"cniVersion":"1.1.0","name":"net1",' +
        '"runtimeConfig":{"portMappings":[1]},"type":"rec","z":1}',
    )
  })

  test('ADD of the second plugin has name and version of the list, and the whole previous result', () => {
    expect(deriveConf(list, second, { command: 'ADD', prevResult, capabilityArgs })).toEqual({
      type: 'rec',
      name: 'net1',
      cniVersion: '1.1.0',
      args: { cni: { x: 1 } },
      prevResult,
    })
  })

  test.each(['CHECK', 'DEL'] as const)('%s has the same members and the final result', (command) => {
    expect(deriveConf(list, first, { command, prevResult, capabilityArgs })).toEqual({
      ...first,
      name: 'net1',
      cniVersion: '1.1.0',
      prevResult,
      runtimeConfig: { portMappings: [1] },
    })
  })

  test('STATUS has only name and version', () => {
    expect(deriveConf(list, first, { command: 'STATUS' })).toEqual({ ...first, name: 'net1', cniVersion: '1.1.0' })
  })

  test('GC has the valid attachments under both keys, also an empty list', () => {
    const validAttachments = [{ containerID: 'c1', ifname: 'eth0' }]
    expect(deriveConf(list, first, { command: 'GC', validAttachments })).toEqual({
      ...first,
      name: 'net1',
      cniVersion: '1.1.0',
      'cni.dev/valid-attachments': validAttachments,
      'cni.dev/attachments': validAttachments,
    })
    expect(deriveConf(list, first, { command: 'GC', validAttachments: [] })).toMatchObject({
      'cni.dev/valid-attachments': [],
      'cni.dev/attachments': [],
    })
    expect(deriveConf(list, first, { command: 'GC' })).not.toHaveProperty('cni.dev/attachments')
  })

  test('a declared capability gets any value of the runtime, null and false included', () => {
    const plugin = { type: 'x', capabilities: { a: true, b: true, c: true } }
    const offered = { a: null, b: false }
    expect(deriveConf(list, plugin, { command: 'ADD', capabilityArgs: offered }).runtimeConfig).toEqual(offered)
  })

  test("an administrator's runtimeConfig is kept if the runtime offers nothing", () => {
    const plugin = { type: 'x', capabilities: { mac: true }, runtimeConfig: { mac: '02:00:00:00:00:01' } }
    expect(deriveConf(list, plugin, { command: 'ADD', capabilityArgs: { other: 1 } }).runtimeConfig).toEqual(
      plugin.runtimeConfig,
    )
    expect(deriveConf(list, plugin, { command: 'ADD', capabilityArgs: { mac: 'x' } }).runtimeConfig).toEqual({
      mac: 'x',
    })
  })

  test('a list without a version derives an empty version', () => {
    expect(deriveConf({ name: 'n' }, first, { command: 'ADD' }).cniVersion).toBe('')
  })

  test('names with a meaning in JavaScript are ordinary members', () => {
    const plugin = JSON.parse('{"type":"x","__proto__":{"y":1},"capabilities":{"__proto__":true,"toString":true}}')
    const offered = JSON.parse('{"__proto__":[1]}')
    expect(encodeConf(deriveConf(list, plugin, { command: 'ADD', capabilityArgs: offered }))).toBe(
      '{"__proto__":{"y":1},"capabilities":{"__proto__":true,"toString":true},"cniVersion":"1.1.0","name":"net1",' +
        '"runtimeConfig":{"__proto__":[1]},"type":"x"}',
    )
  })
})
