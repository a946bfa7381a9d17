import type { PluginConf } from '@cni/types'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Derivation, deriveConf, encodeConf } from './derive.ts'

const json = fc.jsonValue({ maxDepth: 2 })
const members = fc.dictionary(fc.string({ minLength: 1 }), json)
const capabilities = fc.dictionary(fc.constantFrom('mac', 'ips', 'dns', 'aliases', '__proto__'), fc.boolean())
const plugin: fc.Arbitrary<PluginConf> = fc
  .tuple(members, fc.string({ minLength: 1 }), fc.option(capabilities, { nil: undefined }))
  .map(([own, type, flags]) => ({
    ...own,
    type,
    ...(flags === undefined ? { capabilities: {} } : { capabilities: flags }),
  }))
const list = fc.record({ name: fc.string(), cniVersion: fc.constantFrom('0.3.1', '0.4.0', '1.0.0', '1.1.0') })
const offers = fc.dictionary(fc.constantFrom('mac', 'ips', 'dns', 'other', '__proto__'), json)
const result = fc.option(members, { nil: undefined })
const INJECTED = [
  'name',
  'cniVersion',
  'prevResult',
  'runtimeConfig',
  'cni.dev/valid-attachments',
  'cni.dev/attachments',
]

const derivation: fc.Arbitrary<Derivation> = fc.oneof(
  fc
    .tuple(fc.constantFrom('ADD' as const, 'CHECK' as const, 'DEL' as const), result, offers)
    .map(([command, prevResult, capabilityArgs]) => ({ command, prevResult, capabilityArgs })),
  fc
    .array(fc.record({ containerID: fc.string(), ifname: fc.string() }))
    .map((validAttachments) => ({ command: 'GC' as const, validAttachments })),
  fc.constant({ command: 'STATUS' as const }),
)

test("the plugin's own members are unchanged, and no other members of the list are added", () =>
  fc.assert(
    fc.property(list, plugin, derivation, (of, own, what) => {
      const derived = deriveConf(of, own, what)
      const untouched = (conf: object) => Object.entries(conf).filter(([key]) => !INJECTED.includes(key))
      expect(untouched(derived)).toEqual(untouched(own))
      expect(derived.name).toBe(of.name)
      expect(derived.cniVersion).toBe(of.cniVersion)
    }),
  ))

test('the arguments do not change', () =>
  fc.assert(
    fc.property(list, plugin, derivation, (of, own, what) => {
      const before = structuredClone({ of, own, what })
      deriveConf(of, own, what)
      expect({ of, own, what }).toEqual(before)
    }),
  ))

test('runtimeConfig has exactly the capabilities that are declared as true and offered', () =>
  fc.assert(
    fc.property(list, plugin, offers, (of, own, capabilityArgs) => {
      const { runtimeConfig } = deriveConf(of, { ...own, runtimeConfig: {} }, { command: 'ADD', capabilityArgs })
      const declared = Object.entries(own.capabilities ?? {}).flatMap(([name, flag]) => (flag ? [name] : []))
      const expected = declared.filter((name) => Object.hasOwn(capabilityArgs, name))
      expect(Object.keys(runtimeConfig ?? {}).sort()).toEqual(expected.sort())
    }),
  ))

test('prevResult is passed unchanged, unknown members included', () =>
  fc.assert(
    fc.property(list, plugin, members, (of, own, prevResult) => {
      const text = encodeConf(deriveConf(of, own, { command: 'ADD', prevResult }))
      expect(JSON.parse(text).prevResult).toEqual(prevResult)
    }),
  ))

test('deriving twice equals deriving once', () =>
  fc.assert(
    fc.property(list, plugin, derivation, (of, own, what) => {
      const once = deriveConf(of, own, what)
      expect(encodeConf(deriveConf(of, { ...once, type: own.type }, what))).toBe(encodeConf(once))
    }),
  ))
