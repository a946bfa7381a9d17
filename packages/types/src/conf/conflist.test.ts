import { expect, test } from 'vitest'
import { assertConflistDocument, parseConflist, parseConflistDocument } from './conflist.ts'
import { insertPlugin, removePlugin } from './conflist-edit.ts'
import { assertPluginConf } from './plugin-conf.ts'

const list = (members: object) => JSON.stringify({ name: 'net1', plugins: [{ type: 'bridge' }], ...members })

test.each([
  ['', 6, 'unexpected end of JSON input'],
  ['{"name"', 6, 'error parsing configuration list: '],
  ['[]', 7, 'expected an object, got array'],
  ['null', 7, 'expected an object, got null'],
  ['{}', 7, 'no name'],
  [list({ name: 5 }), 7, 'invalid name type number'],
  [list({ cniVersion: 5 }), 7, 'invalid cniVersion type number'],
  [list({ cniVersions: '1' }), 7, 'invalid cniVersions type string'],
  [list({ cniVersions: ['1.0.0', 5] }), 7, 'invalid cniVersions type number index 1'],
  [list({ cniVersions: ['1.0.0', '1.0.f'] }), 7, 'invalid cniVersions value "1.0.f" index 1'],
  [list({ cniVersions: [], cniVersion: 'x' }), 7, 'invalid cniVersion value "x"'],
  [list({ disableCheck: 1 }), 7, 'invalid disableCheck type number'],
  [list({ disableGC: 'adsf' }), 7, 'invalid disableGC value "adsf"'],
  [list({ plugins: {} }), 7, "invalid 'plugins' type object"],
  [list({ plugins: [] }), 7, 'no plugins in list'],
  [list({ plugins: undefined, loadOnlyInlinedPlugins: 'True' }), 7, "no 'plugins' key"],
  [list({ plugins: [{}] }), 7, "failed to parse plugin config 0: missing 'type'"],
  [list({ plugins: [{ type: '' }] }), 7, "failed to parse plugin config 0: missing 'type'"],
  [list({ plugins: [{ type: 'a' }, 5] }), 7, 'failed to parse plugin config 1: expected an object, got number'],
  [list({ plugins: [{ type: 5 }] }), 7, 'failed to parse plugin config 0: type: expected a string, got number'],
  [list({ plugins: [{ type: 'a', capabilities: { mac: 'yes' } }] }), 7, 'capabilities: expected an object of booleans'],
])('the list %s is refused with code %d: %s', (text, code, message) => {
  expect(() => parseConflist(text)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(message) }),
  )
})

test.each([
  [{ ipMasq: 'yes' }],
  [{ args: ['a'] }],
  [{ runtimeConfig: 'x' }],
  [{ 'cni.dev/attachments': 5 }],
  [{ capabilities: { mac: null } }],
  [{ ipam: { type: null } }],
  [{ dns: { domain: null, nameservers: [null] } }],
])("the list parser ignores a plugin's own member %j", (members) => {
  const plugin = { type: 'other', ...members }
  expect(parseConflist(list({ plugins: [plugin] })).plugins).toEqual([plugin])
})

test.each([
  [{ cniVersion: '9.0.0', cniVersions: ['1.0.0'] }, '1.0.0'],
  [{ cniVersions: ['1.1.0', '0.4.0', '1.0.0'] }, '1.1.0'],
  [{ cniVersions: ['99.0.0', '1.1.0', '0.4.0'] }, '1.1.0'],
  [{ cniVersion: '1.0.0', cniVersions: ['0.1.0', '0.4.0'] }, '1.0.0'],
  [{ cniVersions: ['1.1.0', '1.1'] }, '1.1.0'],
  [{ cniVersions: [] }, undefined],
  [{ cniVersions: ['9.0.0'] }, undefined],
  [{ cniVersion: '9.0.0', cniVersions: ['9.1.0'] }, '9.0.0'],
  [{ cniVersion: '1.2.3' }, '1.2.3'],
  [{ cniVersion: '' }, ''],
])('a list with the versions %j has the version %s', (members, version) => {
  expect(parseConflist(list(members)).cniVersion).toBe(version)
})

test('flags may be strings, and reading a list does not validate network names', () => {
  expect(parseConflist(list({ name: 'a/b', disableCheck: 'TRUE', disableGC: 'false' }))).toMatchObject({
    name: 'a/b',
    disableCheck: true,
    disableGC: false,
  })
  expect(parseConflist(list({ name: '' })).name).toBe('')
  expect(parseConflist('{"name":"n"}').plugins).toEqual([])
})

const written =
  '{"x":[1],"name":"n","cniVersions":["1.0.0"],"disableGC":"True","__proto__":{"y":1},"plugins":[{"type":"bridge","z":{}},{"type":"mesh","old":1},{"type":"portmap"}]}'

test('parseConflistDocument changes no member', () => {
  expect(JSON.stringify(parseConflistDocument(written))).toBe(written)
})

test('assertConflistDocument makes the same checks as the parser', () => {
  const value: unknown = JSON.parse(written)
  expect(() => assertConflistDocument(value)).not.toThrow()
  expect(() => assertConflistDocument({ name: 'n', plugins: [] })).toThrow('no plugins in list')
})

test('insertPlugin appends the plugin, removes entries of its type, and keeps order and unknown members', () => {
  const before = parseConflistDocument(written)
  const after = insertPlugin(before, { type: 'mesh', port: 1 })
  expect(JSON.stringify(after)).toBe(
    written.replace('{"type":"mesh","old":1},', '').replace('"portmap"}', '"portmap"},{"type":"mesh","port":1}'),
  )
  expect(JSON.stringify(before)).toBe(written)
  expect(insertPlugin(after, { type: 'mesh', port: 1 })).toEqual(after)
  expect(() => insertPlugin(before, { type: '' })).toThrow("cannot insert plugin: missing 'type'")
})

test('removePlugin removes all plugins of a type, and returns the same list if nothing matches', () => {
  const before = parseConflistDocument(written)
  const twice = { ...before, plugins: [...(before.plugins ?? []), { type: 'mesh' }] }
  expect(removePlugin(twice, 'mesh').plugins?.map((plugin) => plugin.type)).toEqual(['bridge', 'portmap'])
  expect(removePlugin(before, 'other')).toBe(before)
})

test('a plugin configuration needs a type', () => {
  expect(() => assertPluginConf({ name: 'dbnet', type: 'bridge', x: 1 }, 'refused')).not.toThrow()
  expect(() => assertPluginConf({ name: 'x' }, 'refused')).toThrow("refused: missing 'type'")
})
