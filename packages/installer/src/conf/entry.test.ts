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

test('the plugin becomes the last of a list, with sorted keys and without its own cniVersion', () => {
  expect(insertEntry(list, plugin)).toBe(withOurs)
  expect(insertEntry(Buffer.from(list), plugin)).toBe(withOurs)
})

const printed = (lines: readonly string[], newline = '\n') => lines.join(newline) + newline
const shapes: [string, string, string][] = [
  [
    'two spaces per level',
    printed(['{', '  "plugins": [', '    {', '      "type": "b"', '    }', '  ],', '  "name": "n"', '}']),
    printed(['    },', '    {', '      "port": 1,', '      "type": "mesh"', '    }', '  ],']),
  ],
  [
    'a tab per level and CRLF',
    printed(['{', '\t"name": "n",', '\t"plugins": [', '\t\t{', '\t\t\t"type": "b"', '\t\t}', '\t]', '}'], '\r\n'),
    printed(['\t\t},', '\t\t{', '\t\t\t"port": 1,', '\t\t\t"type": "mesh"', '\t\t}', '\t]'], '\r\n'),
  ],
  [
    'brackets next to braces',
    '{ "name": "n", "plugins": [{\n    "type": "b"\n}] }\n',
    '}, {\n    "port": 1,\n    "type": "mesh"\n}] }\n',
  ],
  [
    'one plugin per line',
    '{"name": "n", "plugins": [\n  {"type": "a"},\n  {"type": "b"}\n]}',
    '  {"type": "b"},\n  {"port":1,"type":"mesh"}\n]}',
  ],
  [
    'no plugin',
    printed(['{', '    "name": "n",', '    "plugins": []', '}']),
    printed(['[', '        {', '            "port": 1,', '            "type": "mesh"', '        }', '    ]', '}']),
  ],
  ['no plugin and one line', '{"plugins":[ ]}\n', '[{"port":1,"type":"mesh"}]}\n'],
  [
    'duplicate members, large numbers, escapes and numeric keys',
    '{"plugins":[1],"plugins":[{"10":1e2,"9":12345678901234567890,"x":"\\u00e9\\/","type":"b"}],"a":{"b":-0.0,"a":[]},"a":1}',
    '"type":"b"},{"port":1,"type":"mesh"}],"a":{"b":-0.0,"a":[]},"a":1}',
  ],
]

test.each(shapes)('a file with %s keeps its text except for our entry, and gets its old bytes back', (_, text, end) => {
  const inserted = insertEntry(text, { type: 'mesh', port: 1 })
  expect(inserted).toContain(end)
  expect(hasEntry(inserted, { type: 'mesh', port: 1 })).toBe(true)
  const isEmpty = (JSON.parse(text).plugins ?? []).length === 0
  expect(removeEntry(inserted, 'mesh')).toBe(isEmpty ? text.replace('[ ]', '[]') : text)
})

test('a diff shows only the lines of our entry', () => {
  const text = `${JSON.stringify(JSON.parse(list), null, 2)}\n`
  const changed = diffLines(text, insertEntry(text, { type: 'mesh' })).filter((line) => line.op !== ' ')
  expect(formatDiff(changed)).toBe('+    },\n+    {\n+      "type": "mesh"')
})

test.each([
  ['{"cniVersion":"0.3.0","name":"site-net","type":"ptp"}', { cniVersion: '0.3.0', name: 'site-net' }],
  ['{"CNIVersion":"1.0.0","Name":"site-net","type":"ptp"}', { cniVersion: '1.0.0', name: 'site-net' }],
  // A later plugin gets a prevResult, which versions before 0.3.0 do not have.
  ['{"cniVersion":"0.2.0","name":"site-net","type":"ptp"}', { cniVersion: '0.3.1', name: 'site-net' }],
  ['{"name":"site-net","type":"ptp"}', { cniVersion: '0.3.1', name: 'site-net' }],
  ['{"cniVersion":7,"name":"","type":"ptp"}', { cniVersion: '0.3.1', name: 'k8s-pod-network' }],
])('%s becomes a list with %j', (single, head) => {
  expect(JSON.parse(insertEntry(single, plugin))).toMatchObject(head)
})

test('a single configuration becomes a list with its name and version, and its unchanged text', () => {
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

test('all earlier entries of our type are removed, at any position', () => {
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
])('%.40s is rejected', (text, message) => {
  expect(() => insertEntry(text, plugin)).toThrow(message)
  expect(() => insertEntry(text, plugin)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
})

test('a list at the depth limit of runtimes is edited without a stack overflow', () => {
  expect(removeEntry(insertEntry(deep(10_000), plugin), 'mesh')).toBe(deep(10_000))
})

test('a list with a type of its own stays a list', () => {
  const odd = '{"type":"x","name":"n","plugins":[{"type":"bridge"}]}'
  expect(JSON.parse(insertEntry(odd, plugin)).plugins).toHaveLength(2)
})

test('removal returns the list without our entry, or undefined without one', () => {
  expect(removeEntry(withOurs, 'mesh')).toBe(list)
  expect(removeEntry(list, 'mesh')).toBeUndefined()
  expect(removeEntry(bridge, 'bridge')).toBeUndefined()
})

test.each([
  ['as inserted', (l: List) => l, true],
  ['formatted differently', ({ plugins, ...rest }: List) => ({ plugins, ...rest }), true],
  ['not the last', (l: List) => ({ ...l, plugins: [...l.plugins].reverse() }), false],
  ['twice', (l: List) => ({ ...l, plugins: [...l.plugins, l.plugins[2]] }), false],
  ['stripped to its type', (l: List) => ({ ...l, plugins: [...l.plugins.slice(0, 2), { type: 'mesh' }] }), false],
  ['missing', (l: List) => ({ ...l, plugins: l.plugins.slice(0, 2) }), false],
])('hasEntry for an entry that is %s', (_, edit, valid) => {
  expect(hasEntry(JSON.stringify(edit(JSON.parse(withOurs))), plugin)).toBe(valid)
})
interface List {
  plugins: object[]
}

test('countEntries accepts any text', () => {
  expect([withOurs, list, bridge, '[]', 'x'].map((text) => countEntries(text, 'mesh'))).toEqual([1, 0, 0, 0, 0])
  expect(countEntries('{"type":"mesh"}', 'mesh')).toBe(1)
})

test('standalone, the plugin keeps its order and cniVersion, and a .conflist is a list of one plugin', () => {
  expect(standaloneText(plugin, 'YYY-mesh.conf')).toBe(`${JSON.stringify(plugin, null, 2)}\n`)
  const alone: unknown = JSON.parse(standaloneText(plugin, 'mesh.conflist'))
  assertConflistDocument(alone)
  expect(alone).toEqual({ cniVersion: '0.3.1', name: 'mesh', plugins: [plugin] })
  const nameless: unknown = JSON.parse(standaloneText({ type: 'bridge' }, 'bridge.conflist'))
  expect(nameless).toEqual({ name: '', plugins: [{ type: 'bridge' }] })
})

test('sameDocument ignores order and white space', () => {
  expect(sameDocument('{"a":1,"b":[{}]}', '{ "b": [ {} ], "a": 1 }')).toBe(true)
  expect(sameDocument('{"a":1}', '{"a":2}')).toBe(false)
  expect(sameDocument('{', '{')).toBe(false)
})

/** A list of that nesting depth. */
function deep(levels: number): string {
  return `{"plugins":[{"type":"a"}],"x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
}
