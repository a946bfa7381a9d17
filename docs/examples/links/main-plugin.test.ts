import { fakeRtnl, fakeSysctl } from '@cni/netns/testing'
import { testPlugin } from '@cni/skel/testing'
import { expect, test } from 'vitest'
import { smallBridge } from './main-plugin.ts'

const start = () => {
  const node = fakeRtnl()
  const settings = fakeSysctl({ 'net.ipv4.conf.default.arp_notify': 0 })
  const plugin = testPlugin(smallBridge({ openRtnl: node.open, sysctl: settings.open, node: 'host' }))
  return { node, plugin }
}

test('ADD connects a pod to the bridge, and DEL disconnects it, without root and kernel', async () => {
  const { node, plugin } = start()
  const { result } = await plugin.add()
  expect(result?.ips).toEqual([expect.objectContaining({ address: '10.42.0.2/24' })])
  const bridge = await node.getLink('cni0')
  const [port] = (await node.getLinks()).filter(({ master }) => master === bridge?.index)
  expect(port).toMatchObject({ up: true, running: true, bridgePort: { hairpin: true } })
  await plugin.del()
  expect((await node.getLinks()).map(({ name }) => name)).toEqual(['lo', 'cni0'])
})

test('a failed ADD changes no link of other programs', async () => {
  const { node, plugin } = start()
  await node.addLink({ kind: 'dummy', name: 'cni0' }) // a link of another program
  const before = await node.getLinks()
  const { error } = await plugin.add()
  expect(error?.msg).toContain('EEXIST: it exists, but its kind is "dummy", not "bridge"')
  expect(await node.getLinks()).toEqual(before)
})
