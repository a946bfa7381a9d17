import { expect, test } from 'vitest'
import { listCandidates, type ReadFile } from './candidate.ts'

const folder = (files: Record<string, string | ReadFile>) =>
  new Map(
    Object.entries(files).map(([name, file]): [string, ReadFile] => [
      name,
      typeof file === 'string' ? Buffer.from(file) : file,
    ]),
  )
const valid = (files: Record<string, string | ReadFile>) => listCandidates(folder(files)).valid.map((one) => one.name)
const conf = '{"type":"bridge"}'
const list = '{"name":"n","plugins":[{"type":"bridge"}]}'

test('the files of a runtime are sorted by bytes, hidden ones included', () => {
  expect(valid({ 'b.conf': conf, 'B.conf': conf, '.a.conf': conf, '10.conflist': list, 'b.conflist': list })).toEqual([
    '.a.conf',
    '10.conflist',
    'B.conf',
    'b.conf',
    'b.conflist',
  ])
})

test.each(['undetectable.file', 'x.CONF', 'x.JSON', 'x.conf.tmp.123', '.x.conf.mesh-1.tmp', 'sub/x.conf'])(
  '%s is not read',
  (name) => {
    expect(listCandidates(folder({ [name]: conf }))).toEqual({ valid: [], invalid: new Map() })
  },
)

test.each([
  ['x.conf', '', 'unexpected end'],
  ['x.conf', '{', 'parsing configuration'],
  ['x.conf', '[]', 'expected an object'],
  ['x.conf', '{"name":"x"}', "missing 'type'"],
  ['x.conf', '{"type":""}', "missing 'type'"],
  ['x.conf', list, "missing 'type'"],
  ['x.conf', `\ufeff${conf}`, 'parsing configuration'],
  ['x.conf', `${conf} // comment`, 'parsing configuration'],
  ['x.conflist', '[]', 'expected an object'],
  ['x.conflist', '{}', 'no name'],
  ['x.conflist', '{"name":5,"plugins":[{"type":"a"}]}', 'invalid name type'],
  ['x.conflist', '{"name":"n"}', 'no plugins in list'],
  ['x.conflist', '{"name":"n","plugins":[]}', 'no plugins in list'],
  ['x.conflist', '{"name":"n","plugns":[{"type":"a"}]}', 'no plugins in list'],
  ['x.conflist', '{"name":"n","plugins":[{}]}', "missing 'type'"],
  ['x.conflist', '{"name":"n","cniVersions":["x"],"plugins":[{"type":"a"}]}', 'invalid cniVersions'],
  ['x.conflist', '{"name":"n","disableCheck":"maybe","plugins":[{"type":"a"}]}', 'invalid disableCheck'],
])('%s with %s is skipped: %s', (name, text, reason) => {
  const { valid: names, invalid } = listCandidates(folder({ [name]: text, 'z.conf': conf }))
  expect(names.map((one) => one.name)).toEqual(['z.conf'])
  expect(invalid.get(name)).toContain(reason)
})

test.each([
  ['x.conf', '{"Type":"bridge"}'],
  ['x.conflist', '{"name":"","plugins":[{"TYPE":"a"}],"disableGC":"TRUE","cniVersion":"junk"}'],
  ['x.conflist', `{"name":"n","plugins":[{"type":"a"}],"deep":${'['.repeat(5000)}${']'.repeat(5000)}}`],
])('%s with %s is used', (name, text) => {
  expect(valid({ [name]: text })).toEqual([name])
})

test('a .json file is a single configuration, as in containerd, CRI-O and kubelet', () => {
  expect(valid({ '05-site.json': conf, '10-left.conflist': list, '00-list.json': list })).toEqual([
    '05-site.json',
    '10-left.conflist',
  ])
})

test('a list without inline plugins gets the plugins of the folder with its name', () => {
  const files = { 'x.conflist': '{"name":"net"}', 'net/b.conf': '{"type":"tuning"}', 'net/a.conf': conf }
  expect(listCandidates(folder(files)).valid).toEqual([{ name: 'x.conflist', types: ['bridge', 'tuning'] }])
  expect(valid({ ...files, 'x.conflist': '{"name":"../net"}' })).toEqual([])
  const inlined = '{"name":"net","loadOnlyInlinedPlugins":"true","plugins":[{"type":"a"}]}'
  expect(listCandidates(folder({ ...files, 'x.conflist': inlined })).valid[0]?.types).toEqual(['a'])
})

test('an unreadable file is skipped with the reason', () => {
  expect(listCandidates(folder({ 'x.conf': { unreadable: 'too large' } })).invalid.get('x.conf')).toBe('too large')
})
