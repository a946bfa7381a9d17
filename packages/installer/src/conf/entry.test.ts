import { assertConflistDocument, type PluginConf } from '@cni/types'
import { expect, test } from 'vitest'
import { diffLines, formatDiff } from './diff.ts'
import { countEntries, hasEntry, insertEntry, removeEntry, sameDocument, standaloneText } from './entry.ts'

const bridge = '{"cniVersion":"0.4.0","name":"dbnet","type":"bridge","bridge":"cni0","ipam":{"type":"host-local"}}'
const list =
  '{"name":"dbnet","cniVersion":"0.4.0","plugins":[{"type":"bridge","bridge":"cni0"},{"type":"tuning","sysctl":{"net.core.somaxconn":"500"}}]}'
const plugin: PluginConf = { cniVersion: '0.3.1', name: 'mesh', type: 'mesh', ipam: {}, list: [], level: 'debug' }
const entry = '{"ipam":{},"level":"debug","list":[],"name":"mesh","type":"mesh"}'
const withOurs = list.replace(']}', `,${entry}]}`)

test('the plugin becomes the last of a list: sorted keys, without its own cniVersion', () => {
  expect(insertEntry(list, plugin)).toBe(withOurs)
  expect(insertEntry(Buffer.from(list), plugin)).toBe(withOurs)
})

const printed = (lines: readonly string[], newline = '\n') => lines.join(newline) + newline
const shapes: [string, string, string][] = [
  [
    'two blanks a level',
    printed(['{', '  "plugins": [', '    {', '      "type": "b"', '    }', '  ],', '  "name": "n"', '}']),
    printed(['    },', '    {', '      "port": 1,', '      "type": "mesh"', '    }', '  ],']),
  ],
  [
    'a tab a level and CRLF',
    printed(['{', '\t"name": "n",', '\t"plugins": [', '\t\t{', '\t\t\t"type": "b"', '\t\t}', '\t]', '}'], '\r\n'),
    printed(['\t\t},', '\t\t{', '\t\t\t"port": 1,', '\t\t\t"type": "mesh"', '\t\t}', '\t]'], '\r\n'),
  ],
  [
    'brackets on the lines of braces',
    '{ "name": "n", "plugins": [{\n    "type": "b"\n}] }\n',
    '}, {\n    "port": 1,\n    "type": "mesh"\n}] }\n',
  ],
  [
    'a plugin a line',
    '{"name": "n", "plugins": [\n  {"type": "a"},\n  {"type": "b"}\n]}',
    '  {"type": "b"},\n  {"port":1,"type":"mesh"}\n]}',
  ],
  [
    'no plugin yet',
    printed(['{', '    "name": "n",', '    "plugins": []', '}']),
    printed(['[', '        {', '            "port": 1,', '            "type": "mesh"', '        }', '    ]', '}']),
  ],
  ['no plugin and one line', '{"plugins":[ ]}\n', '[{"port":1,"type":"mesh"}]}\n'],
  [
    'members twice, numbers no double holds, escapes and keys that look like numbers',
    '{"plugins":[1],"plugins":[{"10":1e2,"9":12345678901234567890,"x":"\\u00e9\\/","type":"b"}],"a":{"b":-0.0,"a":[]},"a":1}',
    '"type":"b"},{"port":1,"type":"mesh"}],"a":{"b":-0.0,"a":[]},"a":1}',
  ],
]

test.each(shapes)(
  'a file with %s stays as it is but for our entry, and is what it was when we leave',
  (_, text, end) => {
    const inserted = insertEntry(text, { type: 'mesh', port: 1 })
    expect(inserted).toContain(end)
    expect(hasEntry(inserted, { type: 'mesh', port: 1 })).toBe(true)
    const isEmpty = (JSON.parse(text).plugins ?? []).length === 0
    expect(removeEntry(inserted, 'mesh')).toBe(isEmpty ? text.replace('[ ]', '[]') : text)
  },
)

test('a plan shows the lines of our entry and no other', () => {
  const text = `${JSON.stringify(JSON.parse(list), null, 2)}\n`
  const changed = diffLines(text, insertEntry(text, { type: 'mesh' })).filter((line) => line.op !== ' ')
  expect(formatDiff(changed)).toBe('+    },\n+    {\n+      "type": "mesh"')
})

test.each([
  ['{"cniVersion":"0.3.0","name":"site-net","type":"ptp"}', { cniVersion: '0.3.0', name: 'site-net' }],
  ['{"CNIVersion":"1.0.0","Name":"site-net","type":"ptp"}', { cniVersion: '1.0.0', name: 'site-net' }],
  // Behind another plugin there is a prevResult, which earlier versions do not have.
  ['{"cniVersion":"0.2.0","name":"site-net","type":"ptp"}', { cniVersion: '0.3.1', name: 'site-net' }],
  ['{"name":"site-net","type":"ptp"}', { cniVersion: '0.3.1', name: 'site-net' }],
  ['{"cniVersion":7,"name":"","type":"ptp"}', { cniVersion: '0.3.1', name: 'k8s-pod-network' }],
])('the list that %s becomes has %j', (single, head) => {
  expect(JSON.parse(insertEntry(single, plugin))).toMatchObject(head)
})

test('a single configuration becomes a list of its own name and version, its text as it was', () => {
  expect(insertEntry(bridge, plugin)).toBe(`{
  "cniVersion": "0.4.0",
  "name": "dbnet",
  "plugins": [
    ${bridge.replace('"cniVersion":"0.4.0",', '')},
    ${entry}
  ]
}
`)
  expect(insertEntry('{\n  "type": "z",\n  "cniVersion": "0.4.0",\n  "a": 1\n}\n', { type: 'mesh' })).toBe(`{
  "cniVersion": "0.4.0",
  "name": "k8s-pod-network",
  "plugins": [
    {
      "type": "z",
      "a": 1
    },
    {
      "type": "mesh"
    }
  ]
}
`)
})

test('all entries of ours give way, wherever they are', () => {
  const messy = JSON.parse(withOurs)
  messy.plugins.unshift({ type: 'mesh', old: true }, { type: 'mesh' })
  messy.plugins.splice(3, 0, { type: 'mesh' })
  expect(insertEntry(JSON.stringify(messy), plugin)).toBe(withOurs)
  expect(removeEntry(JSON.stringify(messy), 'mesh')).toBe(list)
  expect(insertEntry(withOurs, plugin)).toBe(withOurs)
  expect(removeEntry('{"plugins":[\n{"type":"mesh"}\n]}', 'mesh')).toBe('{"plugins":[]}')
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
  [deep(10_001), 'nested deeper than 10000 levels'],
])('%.40s has no place for a plugin', (text, message) => {
  expect(() => insertEntry(text, plugin)).toThrow(message)
  expect(() => insertEntry(text, plugin)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
})

test('what a runtime reads at its limit has a place for a plugin, whatever the stack', () => {
  expect(removeEntry(insertEntry(deep(10_000), plugin), 'mesh')).toBe(deep(10_000))
})

test('a list with a type of its own stays a list', () => {
  const odd = '{"type":"x","name":"n","plugins":[{"type":"bridge"}]}'
  expect(JSON.parse(insertEntry(odd, plugin)).plugins).toHaveLength(2)
})

test('removing gives the list without us, and nothing to do when we are not in it', () => {
  expect(removeEntry(withOurs, 'mesh')).toBe(list)
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
  const alone: unknown = JSON.parse(standaloneText(plugin, 'mesh.conflist'))
  assertConflistDocument(alone)
  expect(alone).toEqual({ cniVersion: '0.3.1', name: 'mesh', plugins: [plugin] })
  const nameless: unknown = JSON.parse(standaloneText({ type: 'bridge' }, 'bridge.conflist'))
  expect(nameless).toEqual({ name: '', plugins: [{ type: 'bridge' }] })
})

test('order and blanks make no difference, values do', () => {
  expect(sameDocument('{"a":1,"b":[{}]}', '{ "b": [ {} ], "a": 1 }')).toBe(true)
  expect(sameDocument('{"a":1}', '{"a":2}')).toBe(false)
  expect(sameDocument('{', '{')).toBe(false)
})

/** A list that is so many levels deep. */
function deep(levels: number): string {
  return `{"plugins":[{"type":"a"}],"x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
}
