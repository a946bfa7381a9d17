import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fakeRtnl, fakeSysctl } from '@cni/netns/testing'
import { serveDaemon, shim } from '@cni/skel/daemon'
import { fakeMachine, fakeNetns, testPlugin } from '@cni/skel/testing'
import { expect, onTestFinished, test } from 'vitest'
import { smallBridge } from './main-plugin.ts'

const start = () => {
  const node = fakeRtnl()
  const settings = fakeSysctl({ 'net.ipv4.conf.default.arp_notify': 0 })
  const plugin = smallBridge({ openRtnl: node.open, sysctl: settings.open, node: 'host' })
  return { node, plugin }
}
const web = { containerID: 'web-0', netns: fakeNetns('/run/netns/web', 1) }
const db = { containerID: 'db-0', netns: fakeNetns('/run/netns/db', 2) }

test('two pods of a node share its bridge, and each has its own links', async () => {
  const { node, plugin } = start()
  const tester = testPlugin(plugin)
  for (const pod of [web, db]) expect((await tester.add(pod)).exitCode).toBe(0)
  expect((await node.getLinks()).map(({ name }) => name)).toEqual(['lo', 'cni0', 'vethweb-0', 'vethdb-0'])

  await tester.del(web)
  expect((await node.getLinks()).map(({ name }) => name)).toEqual(['lo', 'cni0', 'vethdb-0'])
  using inside = await node.open(db.netns)
  expect(await inside.getLink('eth0')).toMatchObject({ kind: 'veth', up: true, mtu: 1400 })
})

test('a pod that has an eth0 and a route keeps both if ADD fails', async () => {
  const { node, plugin } = start()
  using inside = await node.open(web.netns)
  await inside.addLink({ kind: 'dummy', name: 'eth0', up: true })
  await inside.addAddress('eth0', '10.9.0.2/24')
  await inside.addRoute({ cidr: '0.0.0.0/0', gateway: '10.9.0.1', link: 'eth0' })
  const before = await inside.getRoutes()
  const { error } = await testPlugin(plugin).add(web)
  expect(error?.msg).toContain('EEXIST')
  expect(await inside.getRoutes()).toEqual(before)
})

test('a shim and its daemon use the same fake node', async () => {
  const { node, plugin } = start()
  const folder = mkdtempSync(join(tmpdir(), 'two-pods-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const socket = join(folder, 'small-bridge.sock')
  await using _ = await serveDaemon(plugin, { socket, ...fakeMachine(web.netns, db.netns), stderr: () => {} })
  const tester = testPlugin(shim({ name: 'small-bridge', socket }))
  const [first, second] = await Promise.all([tester.add(web), tester.add(db)])
  expect([first.result?.interfaces?.[0]?.sandbox, second.result?.interfaces?.[0]?.sandbox]).toEqual([
    '/run/netns/web',
    '/run/netns/db',
  ])
  await tester.del(web)
  expect((await node.getLinks()).map(({ name }) => name)).toEqual(['lo', 'cni0', 'vethdb-0'])
})
