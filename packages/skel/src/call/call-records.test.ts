import { definePlugin, type Plugin, runPlugin, StateError, type StateFolder } from '@cni/skel'
import { fakeNetns, memoryStateFolder, testPlugin } from '@cni/skel/testing'
import { expect, it } from 'vitest'

/** A plugin whose DEL records if the namespace keeps its contents, and why. */
function observed(
  definition: { readonly chained?: boolean; readonly removal?: NonNullable<Plugin['removal']> } = { chained: true },
) {
  const kept: (string | undefined)[] = []
  let failing = false
  const plugin = definePlugin({
    name: 'shared',
    ...definition,
    add(c) {
      if (failing) throw new Error('ADD fails')
      return c.prevResult ?? {}
    },
    del(c) {
      kept.push(c.netns?.kept)
      if (failing) throw new Error('DEL fails')
    },
  })
  return { plugin, kept, fail: (fails: boolean) => (failing = fails) }
}

/** Calls a plugin in the namespace with this inode number. Its attachment records are in a folder. */
const callIn = (inode: number, records: StateFolder, plugin: Plugin) => (command: string, ifName: string) =>
  runPlugin(plugin, {
    env: { CNI_COMMAND: command, CNI_CONTAINERID: 'c', CNI_NETNS: '/run/netns/c', CNI_IFNAME: ifName, CNI_PATH: '/' },
    stdin: () =>
      JSON.stringify({ cniVersion: '1.1.0', name: 'n', type: 'shared', prevResult: { cniVersion: '1.1.0' } }),
    netns: { open: (path) => fakeNetns(path, inode), current: () => fakeNetns('/own', 1) },
    stateFolder: () => records,
  })

const net1 = { conf: { name: 'second' }, ifName: 'net1' }
const unrecorded = 'no ADD of this attachment is recorded'

it('DEL removes with the container’s last attachment in its namespace', async () => {
  const { plugin, kept } = observed()
  const tester = testPlugin(plugin)
  await tester.add()
  await tester.add(net1)
  const { log } = await tester.del(net1)
  await tester.del()
  expect(kept).toEqual(['eth0 of network test is attached there as well', undefined])
  expect(log).toMatchObject([{ level: 'info', msg: 'what is in the namespace stays', reason: kept[0] }])
})

it('DEL without an ADD, and a second DEL, remove nothing', async () => {
  const { plugin, kept } = observed()
  const tester = testPlugin(plugin)
  await tester.del()
  await tester.add()
  await tester.del()
  await tester.del()
  expect(kept).toEqual([unrecorded, undefined, unrecorded])
})

it('an attachment of another container is ignored, because an inode number can be reused', async () => {
  const { plugin, kept } = observed()
  const tester = testPlugin(plugin)
  await tester.add({ containerID: 'dead' })
  await tester.add()
  await tester.del()
  expect(kept).toEqual([undefined])
})

it('a namespace other than the recorded one is kept', async () => {
  const { plugin, kept } = observed()
  const records = memoryStateFolder()
  await callIn(2, records, plugin)('ADD', 'eth0')
  await callIn(3, records, plugin)('DEL', 'eth0')
  expect(kept).toEqual(['the recorded ADD of this attachment was in another namespace'])
})

it('a failed ADD is not recorded, and a failed DEL keeps its record', async () => {
  const { plugin, kept, fail } = observed()
  const tester = testPlugin(plugin)
  fail(true)
  await tester.add(net1)
  fail(false)
  await tester.add()
  fail(true)
  expect((await tester.del()).exitCode).toBe(1)
  fail(false)
  await tester.del()
  expect(kept).toEqual([undefined, undefined])
})

it('GC forgets invalid attachments, also for a plugin without state and GC handler', async () => {
  const { plugin, kept } = observed()
  const tester = testPlugin(plugin)
  await tester.add({ ifName: 'net1' })
  await tester.add()
  await tester.gc({ validAttachments: [{ containerID: 'test-container', ifname: 'eth0' }] })
  await tester.del()
  expect(kept).toEqual([undefined])
})

it('an unusable record keeps the namespace, and DEL succeeds', async () => {
  const { plugin, kept } = observed()
  const records = memoryStateFolder()
  const call = callIn(2, records, plugin)
  await call('ADD', 'eth0')
  records.files.set(`${'0'.repeat(32)}.json`, '{"v":1,"network":"n","containerID":"c","ifName":"net1","netns":7}')
  expect(await call('DEL', 'eth0')).toMatchObject({ exitCode: 0 })
  expect(kept).toEqual([expect.stringContaining('it describes another attachment')])
})

it.each<[definition: Parameters<typeof observed>[0], eth0: string | undefined, without: string | undefined]>([
  [{ chained: true, removal: 'own' }, undefined, unrecorded],
  [{ chained: true, removal: 'always' }, undefined, undefined],
  [{}, undefined, undefined],
  [{ removal: 'last' }, 'net1 of network second is attached there as well', unrecorded],
])('%j: DEL of one of two attachments, and DEL without ADD', async (definition, eth0, without) => {
  const { plugin, kept } = observed(definition)
  const tester = testPlugin(plugin)
  await tester.add()
  await tester.add(net1)
  await tester.del()
  await tester.del({ ifName: 'net7' })
  expect(kept).toEqual([eth0, without])
})

it.each([
  ['EROFS', 0],
  ['ENOSPC', 1],
])('a record that fails with %s ends ADD with exit code %i', async (code, exitCode) => {
  const { plugin } = observed()
  const full: StateFolder = {
    ...memoryStateFolder(),
    write(name) {
      throw new StateError(code, name, `it cannot be written: ${code}`)
    },
  }
  const outcome = await callIn(2, full, plugin)('ADD', 'eth0')
  expect(outcome.exitCode).toBe(exitCode)
  expect(outcome.stderr).toContain(code)
})
