import { type NetnsTarget, openRtnl, sysctl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { testPlugin } from '@cni/skel/testing'
import { expect, test } from 'vitest'
import { smallBridge } from './main-plugin.ts'
import { rename } from './put-back.ts'

const on = (node: NetnsTarget) => smallBridge({ openRtnl, sysctl, node })

test('ADD connects a pod to the bridge, and DEL disconnects it', async () => {
  await using node = await tempNetns()
  await using pod = await tempNetns()
  using outside = await openRtnl(node)
  using inside = await openRtnl(pod)
  const plugin = testPlugin(on(node), { netns: pod })
  const { result } = await plugin.add()
  expect(result?.interfaces).toEqual([expect.objectContaining({ name: 'eth0', mac: expect.any(String) })])
  expect(await inside.getLink('eth0')).toMatchObject({ up: true, mtu: 1400 })
  expect(await inside.getRoutes({ link: 'eth0', family: 'ipv4', table: 254 })).toContainEqual(
    expect.objectContaining({ cidr: '0.0.0.0/0', gateway: '10.42.0.1' }),
  )
  expect(await sysctl(pod).get('net.ipv4.conf.eth0.arp_notify')).toBe('1')
  const ports = (await outside.getLinks()).filter(({ master }) => master !== undefined)
  expect(ports).toEqual([expect.objectContaining({ up: true, bridgePort: expect.objectContaining({ hairpin: true }) })])
  await plugin.del()
  expect((await outside.getLinks()).map(({ name }) => name)).toEqual(['lo', 'cni0'])
})

test('a failed ADD removes only the links of this pod', async () => {
  await using node = await tempNetns()
  await using pod = await tempNetns()
  using outside = await openRtnl(node)
  using inside = await openRtnl(pod)
  // a link of another program, in the way of the route
  await inside.addLink({ kind: 'ifb', name: 'other', up: true })
  await inside.addRoute({ cidr: '0.0.0.0/0', link: 'other' })
  const before = await inside.getRoutes({ family: 'ipv4' })
  const { error } = await testPlugin(on(node), { netns: pod }).add()
  expect(error?.msg).toContain('Add route "0.0.0.0/0": EEXIST')
  expect(await inside.getRoutes({ family: 'ipv4' })).toEqual(before)
  expect(await inside.getLink('eth0')).toBeUndefined()
  expect((await outside.getLinks()).map(({ name }) => name)).toEqual(['lo', 'cni0'])
})

test('if the ADD that made the bridge fails last, a pod that came meanwhile keeps its network', async () => {
  await using node = await tempNetns()
  await using pod = await tempNetns()
  await using other = await tempNetns()
  using outside = await openRtnl(node)
  const second = testPlugin(on(node), { netns: other })
  const failing: typeof sysctl = () => ({
    get: async () => undefined,
    async set() {
      await second.add({ containerID: 'another-pod' })
      throw new Error('the last step fails')
    },
  })
  const first = testPlugin(smallBridge({ openRtnl, sysctl: failing, node }), { netns: pod })
  expect((await first.add({ containerID: 'first-pod' })).error?.msg).toContain('the last step fails')
  const links = await outside.getLinks()
  expect(links.map(({ name }) => name)).toEqual(['lo', 'cni0', 'vethanother-'])
  expect(links[2]).toMatchObject({ up: true, master: links[1]?.index })
})

test('routes of a renamed link are restored', async () => {
  await using pod = await tempNetns()
  using rtnl = await openRtnl(pod)
  await rtnl.addLink({ kind: 'veth', name: 'tmp', up: true, peer: { name: 'peer', up: true } })
  await rtnl.addAddress('tmp', '10.42.0.2/24')
  await rtnl.addRoute({ cidr: '0.0.0.0/0', gateway: '10.42.0.1', metric: 7, mtu: 1300 })
  const before = await rtnl.getRoutes({ family: 'ipv4' })
  await rename(pod, 'tmp', 'eth0')
  expect(new Set(await rtnl.getRoutes({ family: 'ipv4' }))).toEqual(new Set(before))
  expect(await rtnl.getLink('eth0')).toMatchObject({ up: true })
})
