import { expect, test } from 'vitest'
import { netConfVersion, normalizeNetConf, parseNetConf } from './net-conf.ts'

test.each([
  ['', 6, /^error unmarshall network config: unexpected end of JSON input$/],
  ['{', 6, /^error unmarshall network config: /],
  ['[]', 6, /expected an object, got array/],
  ['"x"', 6, /expected an object, got string/],
  ['{"name":5}', 6, /name: expected a string, got number/],
  ['{"name":"a"} trailing', 6, /^error unmarshall network config: /],
  ['\ufeff{"name":"a"}', 6, /^error unmarshall network config: /],
  ['{"name":"a","cniVersion":5}', 6, /cniVersion: expected a string, got number/],
  ['{"name":"a","capabilities":{"mac":"yes"}}', 6, /capabilities: expected an object of booleans/],
  ['{"name":"a","ipam":{"type":5}}', 6, /ipam: expected an object/],
  ['{"name":"a","dns":{"search":"x"}}', 6, /dns: expected/],
  ['{"name":"a","cni.dev/attachments":[1]}', 6, /cni.dev\/attachments: expected/],
  ['null', 7, /^missing network name$/],
  ['{}', 7, /^missing network name$/],
  ['{"name":""}', 7, /^missing network name$/],
  ['{"name":null}', 7, /^missing network name$/],
  ['{"name":"-a","cniVersion":5}', 7, /^invalid characters found in network name$/],
  ['{"name":"a b"}', 7, /^invalid characters found in network name$/],
  ['{"name":"a\\n"}', 7, /^invalid characters found in network name$/],
  ['{"name":"é"}', 7, /^invalid characters found in network name$/],
])('stdin %j is rejected with code %d', (text, code, message) => {
  expect(() => parseNetConf(text)).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }))
})

test('invalid UTF-8 becomes U+FFFD, which a network name must not contain', () => {
  const bytes = new Uint8Array([...new TextEncoder().encode('{"name":"a'), 0xff, ...new TextEncoder().encode('"}')])
  expect(() => parseNetConf(bytes)).toThrow(expect.objectContaining({ code: 7, details: 'a\ufffd' }))
})

test.each([
  ['{"name":"a"}', '0.1.0'],
  ['{"name":"a","cniVersion":""}', '0.1.0'],
  ['{"name":"a","cniVersion":null}', '0.1.0'],
  ['{"name":"a","cniVersion":"abc"}\n', 'abc'],
  ['{"NAME":"a","CNIVERSION":"1.0.0"}', '1.0.0'],
  ['{"name":"x","name":"a","cniVersion":"1.1.0","CNIVersion":"9"}', '1.1.0'],
])('stdin %j is accepted with version %s', (text, version) => {
  const conf = parseNetConf(text)
  expect(conf.name).toBe('a')
  expect(netConfVersion(conf)).toBe(version)
})

test('other members keep their values and their order', () => {
  const text = '{"z":1,"PrevResult":{"a":1},"name":"a","__proto__":{"polluted":true},"dns":null}'
  const conf = parseNetConf(text)
  expect(JSON.stringify(conf)).toBe(text.replace('PrevResult', 'prevResult'))
  expect(conf.polluted).toBeUndefined()
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
})

test('the last of several names that differ in case wins', () => {
  expect(parseNetConf('{"NAME":"x","Name":"a"}')).toEqual({ NAME: 'x', name: 'a' })
})

test('a byte order mark is rejected in bytes too', () => {
  const bytes = new Uint8Array([0xef, 0xbb, 0xbf, ...new TextEncoder().encode('{"name":"a"}')])
  expect(() => parseNetConf(bytes)).toThrow(expect.objectContaining({ code: 6 }))
  expect(parseNetConf(bytes.subarray(3)).name).toBe('a')
})

test('a prevResult of null counts as missing', () => {
  expect(normalizeNetConf({ name: 'a', prevResult: null })).toEqual({ name: 'a' })
  expect(normalizeNetConf({ name: 'a', prevResult: {} })).toEqual({ name: 'a', prevResult: {} })
})
