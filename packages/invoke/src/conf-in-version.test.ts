import fc from 'fast-check'
import { expect, test } from 'vitest'
import { confInVersion } from './conf-in-version.ts'

test.each([
  [
    'keeps every other byte',
    '{ "cniVersion" : "1.1.0",\n "n":12345678901234567890,"a":1.0 }',
    '{ "cniVersion" : "1.0.0",\n "n":12345678901234567890,"a":1.0 }',
  ],
  ['gets a missing version', '{"a":1}', '{"cniVersion":"1.0.0","a":1}'],
  ['gets a version if it is empty', ' { } ', ' {"cniVersion":"1.0.0" } '],
  [
    'has each of several versions replaced',
    '{"cniVersion":"0.4.0","cniVersion":"1.1.0"}',
    '{"cniVersion":"1.0.0","cniVersion":"1.0.0"}',
  ],
  ['recognizes an escaped member name', '{"cni\\u0056ersion":"1.1.0"}', '{"cni\\u0056ersion":"1.0.0"}'],
  [
    'keeps versions in other members',
    '{"cniVersion":"1.1.0","x":{"cniVersion":"1.1.0"}}',
    '{"cniVersion":"1.0.0","x":{"cniVersion":"1.1.0"}}',
  ],
  [
    'keeps an invalid prevResult',
    '{"cniVersion":"1.1.0","prevResult":{"ips":"x"}}',
    '{"cniVersion":"1.0.0","prevResult":{"ips":"x"}}',
  ],
  ['keeps the same version', '{"a":1.0,"cniVersion":"1.0.0"}', '{"a":1.0,"cniVersion":"1.0.0"}'],
])('a text %s', (_, conf, expected) => {
  expect(confInVersion('local', conf, '1.0.0')).toBe(expected)
  const fromBytes = confInVersion('local', Buffer.from(conf), '1.0.0')
  expect(fromBytes.toString()).toBe(expected)
})

test('a prevResult of any version is converted', () => {
  const prevResult = { cniVersion: '1.1.0', ips: [{ address: '10.1.0.2/24' }] }
  expect(confInVersion('local', { cniVersion: '1.1.0', prevResult }, '0.4.0')).toEqual({
    cniVersion: '0.4.0',
    prevResult: { cniVersion: '0.4.0', dns: {}, ips: [{ version: '4', address: '10.1.0.2/24' }] },
  })
})

test.each(['', 'x', '[]', 'null', '{"a":'])('%j is rejected as a configuration', (conf) => {
  expect(() => confInVersion('local', conf, '1.0.0')).toThrow(expect.objectContaining({ code: 'INVALID_CONF' }))
})

test('a text keeps its value except for the version', () => {
  const members = fc.dictionary(fc.string(), fc.jsonValue()).filter((one) => !('prevResult' in one))
  fc.assert(
    fc.property(members, fc.nat(3), (object, indent) => {
      const written = confInVersion('local', JSON.stringify(object, undefined, indent), '0.4.0')
      expect(JSON.parse(String(written))).toEqual(JSON.parse(JSON.stringify({ ...object, cniVersion: '0.4.0' })))
    }),
  )
})
