import { type Netns, openRtnl, type Rtnl, sysctl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { failingCall } from '../call-undo.ts'

let pod: Netns & AsyncDisposable
let look: Rtnl
beforeEach(async () => {
  pod = await tempNetns()
  look = await openRtnl(pod)
})
afterEach(async () => {
  look.close()
  await pod[Symbol.asyncDispose]()
})

/** Complete state, without values that change with time. */
async function state(rtnl: Rtnl) {
  const links = (await rtnl.getLinks()).map(({ running: _, ...link }) => link)
  const addresses = (await rtnl.getAddresses({ family: 'ipv4' })).map(({ cidr, linkIndex }) => [cidr, linkIndex])
  return { links, addresses, routes: await rtnl.getRoutes({ family: 'ipv4' }), rules: await rtnl.getRules() }
}

test('a failing ADD rolls its changes back, also after `using` has closed the socket', async () => {
  const before = await state(look)
  const c = failingCall(pod)
  const add = async () => {
    using rtnl = await openRtnl(c)
    await rtnl.addLink({ name: 'v0', kind: 'veth', peer: { name: 'v1' } })
    await rtnl.setLinkUp('v0')
    await rtnl.addAddress('v0', '10.1.0.1/24')
    await rtnl.addRoute({ destination: '10.2.0.0/16', gateway: '10.1.0.254', link: 'v0', onlink: true })
    await rtnl.addRule({ family: 'ipv4', fwmark: 7, table: 7 })
    await rtnl.setLink('lo', { mtu: 1500, txqlen: 7, up: false })
    throw new Error('ADD fails')
  }
  await expect(add()).rejects.toThrow('ADD fails')
  expect((await look.getLink('v0'))?.up).toBe(true)
  await c.unwind()
  expect(await state(look)).toEqual(before)
})

test('your own undo steps may use the socket after `using` has closed it', async () => {
  const c = failingCall(pod)
  {
    using rtnl = await openRtnl(c)
    await look.addLink({ name: 'b0', kind: 'bridge' })
    c.undo?.(() => rtnl.deleteLink('b0'))
  }
  await c.unwind()
  expect(await look.getLink('b0')).toBeUndefined()
})

test('the rollback leaves objects that existed before', async () => {
  await look.addLink({ name: 'b0', kind: 'bridge' })
  const c = failingCall(pod)
  using rtnl = await openRtnl(c)
  expect(await rtnl.addLink({ name: 'b0', kind: 'bridge' })).toEqual({ added: false })
  expect(c.steps).toBe(0)
})

test('the rollback adds deleted objects again', async () => {
  await look.addLink({ name: 'v0', kind: 'veth', up: true, peer: { name: 'v1', up: true } })
  await look.addAddress('v0', '10.1.0.1/24')
  await look.addAddress('v0', '10.1.0.2/24')
  await look.addRoute({ cidr: '10.2.0.0/16', gateway: '10.1.0.254', mtu: 1300, metric: 7 })
  await look.addRule({ family: 'ipv4', from: '10.0.0.0/8', table: 9, priority: 50 })
  const before = await state(look)
  const c = failingCall(pod)
  using rtnl = await openRtnl(c)
  await rtnl.replaceRoute({ cidr: '10.2.0.0/16', gateway: '10.1.0.253', metric: 7 })
  await rtnl.deleteRoute({ destination: '10.2.0.0/16' })
  await rtnl.deleteRule({ family: 'ipv4', from: '10.0.0.0/8', table: 9 })
  await rtnl.deleteAddress('v0', '10.1.0.1/24')
  expect(await look.getAddresses({ link: 'v0', family: 'ipv4' })).toHaveLength(0)
  await c.unwind()
  const after = await state(look)
  expect(new Set(after.addresses)).toEqual(new Set(before.addresses))
  expect({ ...after, addresses: [] }).toEqual({ ...before, addresses: [] })
})

test('a link that moved to another namespace gets back its namespace, name and bridge', async () => {
  await using other = await tempNetns()
  await look.addLink({ name: 'b0', kind: 'bridge', up: true })
  await look.addLink({ name: 'v0', kind: 'veth', up: true, master: 'b0', peer: { name: 'v1' } })
  const before = await look.getLink('v0')
  const c = failingCall(pod)
  using rtnl = await openRtnl(c)
  using there = await openRtnl(other)
  await rtnl.setLink('v0', { netns: other, name: 'eth0', mtu: 1400, up: true })
  expect(await look.getLink('v0')).toBeUndefined()
  expect(await there.getLink('eth0')).toMatchObject({ mtu: 1400, up: true })
  await c.unwind()
  expect(await there.getLink('eth0')).toBeUndefined()
  // `running` depends on the peer, and the kernel updates it some time later.
  const { index: _, parent: __, running: ___, ...was } = before ?? { index: 0 }
  expect(await look.getLink('v0')).toMatchObject(was)
})

test('settings are restored, last first', async () => {
  const c = failingCall(pod)
  const name = 'net.ipv4.conf.lo.rp_filter'
  const before = await sysctl(pod).get(name)
  await sysctl(c).set(name, 1)
  await sysctl(c).set(name, 2)
  expect(await sysctl(pod).get(name)).toBe('2')
  await c.unwind()
  expect(await sysctl(pod).get(name)).toBe(before)
})
