import { type PluginConf, parseConflistDocument } from '@cni/types'
import { expect, test } from 'vitest'
import { countEntries, hasEntry, insertEntry, removeEntry, sameDocument, standaloneText } from './entry.ts'

const bridge = '{"cniVersion":"0.4.0","name":"dbnet","type":"bridge","bridge":"cni0","ipam":{"type":"host-local"}}'
const list =
  '{"name":"dbnet","cniVersion":"0.4.0","plugins":[{"type":"bridge","bridge":"cni0"},{"type":"tuning","sysctl":{"net.core.somaxconn":"500"}}]}'
const plugin: PluginConf = { cniVersion: '0.3.1', name: 'mesh', type: 'mesh', ipam: {}, list: [], level: 'debug' }
const withOurs = `{
  "cniVersion": "0.4.0",
  "name": "dbnet",
  "plugins": [
    {
      "bridge": "cni0",
      "type": "bridge"
    },
    {
      "sysctl": {
        "net.core.somaxconn": "500"
      },
      "type": "tuning"
    },
    {
      "ipam": {},
      "level": "debug",
      "list": [],
      "name": "mesh",
      "type": "mesh"
    }
  ]
}
`

test('the plugin becomes the last of a list: sorted keys, two blanks, a newline, without its own cniVersion', () => {
  expect(insertEntry(list, plugin)).toBe(withOurs)
  expect(insertEntry(Buffer.from(list), plugin)).toBe(withOurs)
})

test('a single configuration becomes a list under the runtime’s name', () => {
  expect(JSON.parse(insertEntry(bridge, plugin))).toEqual({
    cniVersion: '0.3.1',
    name: 'k8s-pod-network',
    plugins: [
      { name: 'dbnet', type: 'bridge', bridge: 'cni0', ipam: { type: 'host-local' } },
      { ipam: {}, level: 'debug', list: [], name: 'mesh', type: 'mesh' },
    ],
  })
})

test('all entries of ours give way, wherever they are', () => {
  const messy = JSON.parse(withOurs)
  messy.plugins.unshift({ type: 'mesh', old: true }, { type: 'mesh' })
  expect(insertEntry(JSON.stringify(messy), plugin)).toBe(withOurs)
  expect(insertEntry(withOurs, plugin)).toBe(withOurs)
})

test.each([
  ['[]', 'expected a JSON object'],
  ['null', 'expected a JSON object'],
  ['', 'not a configuration'],
  ['{"name"', 'not a configuration'],
  ['\ufeff{"plugins":[]}', 'not a configuration'],
  ['{}', '"plugins" must be an array of objects'],
  ['{"plugins":{}}', '"plugins" must be an array of objects'],
  ['{"plugins":[5]}', '"plugins" must be an array of objects'],
  [`{"plugins":[],"x":${'['.repeat(2000)}${']'.repeat(2000)}}`, 'nested deeper than'],
])('%s has no place for a plugin', (text, message) => {
  expect(() => insertEntry(text, plugin)).toThrow(message)
  expect(() => insertEntry(text, plugin)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
})

test('a list with a type of its own stays a list', () => {
  const odd = '{"type":"x","name":"n","plugins":[{"type":"bridge"}]}'
  expect(JSON.parse(insertEntry(odd, plugin)).plugins).toHaveLength(2)
})

test('removing gives the sorted list without us, and nothing to do when we are not in it', () => {
  expect(removeEntry(withOurs, 'mesh')).toBe(`${sorted(list)}\n`)
  expect(removeEntry(list, 'mesh')).toBeUndefined()
  expect(removeEntry(bridge, 'bridge')).toBeUndefined()
})

test.each([
  ['as inserted', (l: List) => l, true],
  ['formatted otherwise', ({ plugins, ...rest }: List) => ({ plugins, ...rest }), true],
  ['not the last', (l: List) => ({ ...l, plugins: [...l.plugins].reverse() }), false],
  ['twice', (l: List) => ({ ...l, plugins: [...l.plugins, l.plugins[2]] }), false],
  ['stripped to its type', (l: List) => ({ ...l, plugins: [...l.plugins.slice(0, 2), { type: 'mesh' }] }), false],
  ['missing', (l: List) => ({ ...l, plugins: l.plugins.slice(0, 2) }), false],
])('an entry that is %s', (_, edit, valid) => {
  expect(hasEntry(JSON.stringify(edit(JSON.parse(withOurs))), plugin)).toBe(valid)
})
interface List {
  plugins: object[]
}

test('entries are counted, in anything', () => {
  expect([withOurs, list, bridge, '[]', 'x'].map((text) => countEntries(text, 'mesh'))).toEqual([1, 0, 0, 0, 0])
  expect(countEntries('{"type":"mesh"}', 'mesh')).toBe(1)
})

test('alone, the plugin keeps its order and its cniVersion; a .conflist is a list of one', () => {
  expect(standaloneText(plugin, 'YYY-mesh.conf')).toBe(`${JSON.stringify(plugin, null, 2)}\n`)
  expect(parseConflistDocument(standaloneText(plugin, 'mesh.conflist'))).toEqual({
    cniVersion: '0.3.1',
    name: 'mesh',
    plugins: [plugin],
  })
})

test('order and blanks make no difference, values do', () => {
  expect(sameDocument('{"a":1,"b":[{}]}', '{ "b": [ {} ], "a": 1 }')).toBe(true)
  expect(sameDocument('{"a":1}', '{"a":2}')).toBe(false)
  expect(sameDocument('{', '{')).toBe(false)
})

function sorted(text: string): string {
  const sort = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sort)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .sort()
        .map(([key, one]) => [key, sort(one)]),
    )
  }
  return JSON.stringify(sort(JSON.parse(text)), null, 2)
}
