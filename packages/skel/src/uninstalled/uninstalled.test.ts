import { chmodSync, chownSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { tempFolder } from '../../test/temp-folder.ts'
import { listOf, type UninstalledNode, uninstalledNode } from '../../test/uninstalled.ts'
import { definePlugin } from '../definition/plugin.ts'
import { testPlugin } from '../testing/test-plugin.ts'
import { markerPath } from './marked.ts'

const calls = { add: vi.fn(), del: vi.fn(), check: vi.fn(), status: vi.fn() }
const plugin = definePlugin({
  name: 'tag',
  chained: true,
  removal: 'always',
  add(c) {
    calls.add()
    return c.prevResult
  },
  check: () => calls.check(),
  del: () => calls.del(),
  status: () => calls.status(),
})

let node: UninstalledNode
const tester = () => testPlugin(plugin, { executable: node.file, path: [node.bin] })

beforeEach(() => {
  for (const call of Object.values(calls)) call.mockReset()
  node = uninstalledNode(tempFolder())
})

test('ADD returns prevResult with a warning and does not call the plugin', async () => {
  node.record('a')
  const { exitCode, result, log } = await tester().add()
  expect([exitCode, result?.ips?.[0]?.address]).toEqual([0, '10.1.2.3/24'])
  expect(calls.add).not.toHaveBeenCalled()
  expect(log.map(({ level, msg }) => `${level}: ${msg}`)).toEqual([
    'warn: tag was uninstalled from this node and attaches no container: the result of the plugins before it is passed on',
  ])
})

test('ADD without prevResult fails with an explanation', async () => {
  const { error } = await tester().add({ prevResult: null })
  expect(error).toMatchObject({
    code: 50,
    msg: 'tag was uninstalled from this node and attaches no container',
    details: expect.stringContaining('delegates of Multus'),
  })
})

test('CHECK, STATUS and VERSION succeed without calling the plugin', async () => {
  for (const verb of ['check', 'status', 'version'] as const) expect((await tester()[verb]()).exitCode).toBe(0)
  expect(calls.check).not.toHaveBeenCalled()
  expect(calls.status).not.toHaveBeenCalled()
})

test('the last DEL removes the file and its marker', async () => {
  const other = node.cache('other', listOf('bridge', 'tag'))
  node.cache('test-container', listOf('bridge', 'tag'))
  await tester().del()
  expect(calls.del).toHaveBeenCalledTimes(1)
  expect([existsSync(node.file), existsSync(node.marker)]).toEqual([true, true])
  rmSync(other)
  const { exitCode, log } = await tester().del()
  expect(exitCode).toBe(0)
  expect([existsSync(node.file), existsSync(node.marker)]).toEqual([false, false])
  expect(log.at(-1)?.msg).toBe('the uninstalled plugin was removed: nothing needs it any more')
})

test.each([
  ['a record', () => node.record('b')],
  ['another interface of the container', () => node.cache('test-container', listOf('tag'), 'net1')],
  [
    'a copy in the delegates of Multus',
    () => node.configure('00-multus.conf', { type: 'multus', delegates: [listOf('tag')] }),
  ],
  [
    'a result whose list holds Multus with a copy',
    () => node.cache('c', { plugins: [{ type: 'multus', delegates: [listOf('tag')] }] }),
  ],
  ['an IPAM section', () => node.cache('c', { type: 'bridge', ipam: { Type: 'tag' } })],
  ['a truncated result', () => writeFileSync(join(node.folders.results[0] ?? '', 'pods-c-eth0'), '{"kind":"cniC')],
  [
    'a symbolic link in the cache',
    () => symlinkSync('/etc/passwd', join(node.folders.results[0] ?? '', 'pods-c-eth0')),
  ],
  ['a missing net folder', () => rmSync(node.folders.configurations[0] ?? '', { recursive: true })],
])('the file stays while it is needed by %s', async (_, need) => {
  need()
  const { exitCode, log } = await tester().del()
  expect([exitCode, existsSync(node.file), existsSync(node.marker)]).toEqual([0, true, true])
  expect(log.at(-1)).toMatchObject({
    msg: 'the uninstalled plugin stays: something needs it',
    path: expect.any(String),
  })
})

test.each([
  ['a result of other plugins', () => node.cache('c', listOf('bridge', 'tagged'))],
  [
    'a result of 2018 without a configuration',
    () => writeFileSync(join(node.folders.results[0] ?? '', 'pods-c-eth0'), '{"ip4":{}}'),
  ],
  ['the temporary file of a runtime', () => writeFileSync(join(node.folders.results[0] ?? '', '.pods.tmp'), '{')],
  [
    'a configuration that is being written',
    () => writeFileSync(join(node.folders.configurations[0] ?? '', 'a.conf'), ''),
  ],
  ['a configuration that is not JSON', () => writeFileSync(join(node.folders.configurations[0] ?? '', 'a.conf'), '{')],
  ['a missing cache', () => rmSync(node.folders.results[0] ?? '', { recursive: true })],
])('%s does not need the plugin', async (_, write) => {
  write()
  await tester().del()
  expect(existsSync(node.file)).toBe(false)
})

test('GC that removes the last attachment removes the file', async () => {
  expect((await tester().gc()).exitCode).toBe(0)
  expect(existsSync(node.file)).toBe(false)
})

test('a failed DEL keeps the file', async () => {
  calls.del.mockRejectedValueOnce(new Error('the network is down'))
  expect((await tester().del()).exitCode).toBe(1)
  expect(existsSync(node.file)).toBe(true)
})

test('the last DEL removes the plugin of that name from every marked folder of CNI_PATH', async () => {
  const second = uninstalledNode(tempFolder())
  const unmarked = join(tempFolder(), 'tag')
  writeFileSync(unmarked, 'of somebody else')
  await tester().del({ path: [node.bin, second.bin, join(unmarked, '..'), 'relative'] })
  expect([node.file, second.file, unmarked].map((file) => existsSync(file))).toEqual([false, false, true])
})

test.each([
  ['another user can write it', () => chmodSync(node.marker, 0o666), 'may be written by others (mode 666)'],
  ['another user owns it', () => chownSync(node.marker, 4711, 4711), 'belongs to another user (uid 4711)'],
  ['it is not JSON', () => writeFileSync(node.marker, '{'), 'it is invalid'],
  ['it is of a later version', () => writeFileSync(node.marker, '{"v":2}'), 'it is invalid: v'],
  [
    'it is a folder',
    () => {
      rmSync(node.marker)
      mkdirSync(node.marker)
    },
    'it is not a regular file',
  ],
  [
    'it is a link',
    () => {
      renameSync(node.marker, `${node.marker}2`)
      symlinkSync(`${node.marker}2`, node.marker)
    },
    'ELOOP',
  ],
  [
    'the file was installed again by a program that knows no markers',
    () => {
      writeFileSync(`${node.file}2`, 'program')
      renameSync(`${node.file}2`, node.file)
    },
    'it was written for another file',
  ],
])('a marker is ignored if %s', async (_, spoil, reason) => {
  spoil()
  const { exitCode, log } = await tester().add()
  expect(exitCode).toBe(0)
  expect(calls.add).toHaveBeenCalledTimes(1)
  expect(log[0]).toMatchObject({
    level: 'warn',
    msg: 'the plugin counts as installed',
    reason: expect.stringContaining(reason),
  })
  await tester().del()
  expect(existsSync(node.file)).toBe(true)
})

test('the marker is hidden and next to the file', () => {
  expect(markerPath('/opt/cni/bin/tag')).toBe('/opt/cni/bin/.tag.uninstalled')
})
