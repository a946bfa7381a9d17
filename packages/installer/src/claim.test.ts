import { readFileSync, rmSync, statSync } from 'node:fs'
import { type InstallerOptions, installer } from '@cni/installer'
import { expect, test } from 'vitest'
import { calico, eventually, type FakeNode, fakeNode } from '../test/node.ts'
import { installed, running } from '../test/running.ts'

const claimed = (node: FakeNode, port: number): Partial<InstallerOptions> => ({
  claimFile: node.path('run', 'agent.json'),
  plugin: { type: 'mesh', port },
})
const record = (node: FakeNode) => JSON.parse(node.read('run/agent.json'))
const port = (node: FakeNode) => JSON.parse(node.read('net/10-calico.conflist')).plugins.at(-1).port
const writes = (node: FakeNode) =>
  node.events.filter((event) => event.type === 'changed' && event.artefact === 'conflist').length

/** Two installers with different settings on a node. The second one starts later. */
async function two() {
  const node = fakeNode()
  const older = await installed(node, claimed(node, 1))
  const newer = await installed(node, claimed(node, 2))
  return { node, older, newer }
}

test('the older of two installers stops writing, is not ready and explains why', async () => {
  const { node, older, newer } = await two()
  await eventually(() => !older.installer.status().ready, 'the older one is not ready')
  expect(older.installer.status()).toMatchObject({
    reason: expect.stringMatching(/a newer installer keeps this node, started .* with other settings/),
    artefacts: [{ artefact: 'claim', path: node.path('run/agent.json'), state: 'waiting' }],
  })
  expect(node.events).toContainEqual(expect.objectContaining({ type: 'not-ready', artefact: 'claim' }))
  expect([port(node), writes(node)]).toEqual([2, 2])
  for (const [name, text] of [
    ['net/10-calico.conflist', calico],
    ['run/kubeconfig', 'x'],
    ['bin/mesh', 'x'],
  ] as const) {
    node.write(name, text)
    await eventually(() => node.read(name) !== text, `${name} is healed`)
  }
  await eventually(() => newer.installer.status().ready, 'the newer one is ready')
  // Each damage causes one heal. Two active installers would have made two.
  expect([port(node), writes(node)]).toEqual([2, 3])
  expect(older.installer.status().ready).toBe(false)
})

test('the record has the boot, the time since the boot, and a hash of the settings', async () => {
  const { node, newer } = await two()
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  const before = record(node)
  expect(before).toEqual({
    bootId: boot,
    startedAt: expect.any(Number),
    settings: expect.stringMatching(/^[\da-f]{16}$/),
    id: expect.stringMatching(/^[\da-f]{16}$/),
  })
  const uptime = Number.parseFloat(readFileSync('/proc/uptime', 'utf8'))
  expect(before.startedAt).toBeLessThan(uptime + 1)
  newer.installer.reconfigure({ ...node.options, ...claimed(node, 3) })
  await eventually(() => port(node) === 3, 'other settings')
  expect(record(node)).toEqual({ ...before, settings: expect.not.stringMatching(before.settings) })
})

test('the older one removes nothing when it stops, and takes over when the newer one is gone', async () => {
  const { node, older, newer } = await two()
  await eventually(() => !older.installer.status().ready, 'given way')
  const third = await installed(node, claimed(node, 3))
  const files = node.files()
  await newer.stop()
  expect(await newer.installer.uninstall()).toMatchObject({ changes: [], left: expect.stringContaining('a newer') })
  expect(node.files()).toEqual(files)
  await third.stop()
  expect((await third.installer.uninstall()).changes.map((change) => change.artefact)).toContain('claim')
  await eventually(() => older.installer.status().ready, 'taken over')
  expect(port(node)).toBe(1)
  await older.stop()
  await older.installer.uninstall()
  expect(node.files()['run/agent.json']).toBeUndefined()
  expect(node.read('net/10-calico.conflist')).toBe(calico)
})

test('a newer one counts as gone if it has not touched its record for three rechecks', async () => {
  const node = fakeNode()
  const older = await installed(node, { ...claimed(node, 1), recheckMs: 100 })
  const { startedAt } = record(node)
  const dead = { ...record(node), startedAt: startedAt + 5, id: 'dead', settings: 'x' }
  const since = performance.now()
  rmSync(node.path('run/agent.json'))
  node.write('run/agent.json', JSON.stringify(dead))
  await eventually(() => !older.installer.status().ready, 'given way')
  await eventually(() => older.installer.status().ready, 'taken over', 10_000)
  expect(performance.now() - since).toBeGreaterThan(2900)
  expect(record(node)).toMatchObject({ startedAt })
  // The active installer touches the file to show that it is alive.
  const touched = () => statSync(node.path('run/agent.json')).mtimeMs
  const before = touched()
  await eventually(() => touched() > before, 'touched')
})

test('one of many installers that start at once is active', async () => {
  const node = fakeNode()
  const all = [1, 2, 3, 4, 5, 6].map((one) => running(node, claimed(node, one)))
  const ready = () => all.filter(({ installer }) => installer.status().ready)
  const aside = () => all.filter(({ installer }) => installer.status().artefacts[0]?.state === 'waiting')
  await eventually(() => ready().length === 1 && aside().length === all.length - 1, 'one')
  const kept = port(node)
  node.write('net/10-calico.conflist', calico)
  await eventually(() => node.read('net/10-calico.conflist') !== calico, 'healed')
  expect(port(node)).toBe(kept)
  expect(aside()).toHaveLength(all.length - 1)
})

test('an installer that stops before its first pass removes nothing of another', async () => {
  const node = fakeNode()
  const { installer: early } = await installed(node, claimed(node, 1))
  const late = installer({ ...node.options, ...claimed(node, 2) })
  await late.run({ signal: AbortSignal.abort() })
  expect(await late.uninstall()).toMatchObject({ changes: [], left: expect.stringContaining('an older installer') })
  expect([port(node), early.status().ready]).toEqual([1, true])
})

test.each([
  ['of an earlier boot', { bootId: 'another' }],
  ['of an installer that started earlier', { startedAt: 0 }],
  ['that is invalid', { startedAt: 'soon' }],
])('a record %s is replaced', async (_, more) => {
  const node = fakeNode()
  const { stop } = await installed(node, claimed(node, 1))
  await stop()
  node.write('run/agent.json', JSON.stringify({ ...record(node), startedAt: 9e9, id: 'x', ...more }))
  await installed(node, claimed(node, 2))
  expect([port(node), record(node).id]).toEqual([2, expect.stringMatching(/^[\da-f]{16}$/)])
})

test('a removed or overwritten record is written again', async () => {
  const node = fakeNode()
  await installed(node, { ...claimed(node, 1), recheckMs: 200 })
  const before = record(node)
  rmSync(node.path('run/agent.json'))
  await eventually(() => record(node).id === before.id, 'written again')
  node.write('run/agent.json', '{')
  await eventually(() => record(node).id === before.id, 'and again')
})

test('a record that cannot be written is reported, and the plugin is installed anyway', async () => {
  const node = fakeNode()
  const { installer } = running(node, { ...claimed(node, 1), claimFile: node.path('src/mesh/agent.json') })
  await eventually(() => port(node) === 1, 'installed')
  expect(installer.status()).toMatchObject({ ready: false, reason: expect.stringContaining('agent.json') })
})

test('an uninstallation without a running installer removes any record', async () => {
  const node = fakeNode()
  const { stop } = await installed(node, claimed(node, 1))
  await stop()
  const { changes } = await installer({ ...node.options, ...claimed(node, 2) }).uninstall()
  expect(changes.map(({ path }) => path)).toContain(node.path('run/agent.json'))
})
