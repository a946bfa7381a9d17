import { type Netns, openRtnl, sysctl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'

let pod: Netns & AsyncDisposable
beforeAll(async () => {
  pod = await tempNetns()
  using rtnl = await openRtnl(pod)
  await rtnl.addLink({ name: 'eth0.100', kind: 'veth', peer: { name: 'eth0' } })
})
afterAll(() => pod[Symbol.asyncDispose]())

test.each(['net.ipv4.conf.eth0.100.rp_filter', 'net.ipv4.conf.eth0/100.rp_filter', 'net/ipv4/conf/eth0.100/rp_filter'])(
  '%s is a setting of the link eth0.100',
  async (name) => {
    const settings = sysctl(pod)
    await settings.set('net/ipv4/conf/eth0.100/rp_filter', 0)
    expect(await settings.set(name, 2)).toEqual({ changed: true, previous: '0' })
    expect(await settings.set(name, '2')).toEqual({ changed: false, previous: '2' })
    expect(await settings.get('net/ipv4/conf/eth0.100/rp_filter')).toBe('2')
    expect(await settings.get('net/ipv4/conf/eth0/rp_filter')).not.toBe('2')
  },
)

test('settings belong to the namespace, not to the node', async () => {
  const name = 'net.ipv4.ip_local_port_range'
  const there = await sysctl('host').get(name)
  expect(await sysctl(pod).set(name, '20000 20100')).toMatchObject({ changed: true })
  expect(await sysctl(pod).set(name, '20000\t20100')).toMatchObject({ changed: false })
  expect(await sysctl('host').get(name)).toBe(there)
})

test('true is written as 1', async () => {
  await sysctl(pod).set('net.ipv4.conf.lo.arp_notify', true)
  expect(await sysctl(pod).get('net.ipv4.conf.lo.arp_notify')).toBe('1')
})

test('a write-only setting is written and has no value', async () => {
  expect(await sysctl(pod).set('net.ipv4.route.flush', 1)).toEqual({ changed: true })
})

test('a missing setting has no value', async () => {
  expect(await sysctl(pod).get('net.ipv4.conf.eth7.rp_filter')).toBeUndefined()
})

test.each<[string, string | number, string, RegExp]>([
  ['net.ipv4.conf.eth7.rp_filter', 1, 'ENOENT', /"net.ipv4.conf.eth7.rp_filter".*lacks the setting/],
  ['net.ipv4.tcp_available_congestion_control', 'x', 'EACCES', /read-only/],
  ['net.ipv4.ip_forward', 'yes', 'EINVAL', /"yes".*refuses the value/],
  ['net.ipv4.conf', 1, 'EISDIR', /folder/],
  ['net.ipv4.ip_forward.x', 1, 'ENOENT', /lacks the setting/],
])('setting %s to %j is refused', async (name, value, code, message) => {
  await expect(sysctl(pod).set(name, value)).rejects.toMatchObject({
    name: 'NetnsError',
    code,
    message: expect.stringMatching(message),
  })
})
