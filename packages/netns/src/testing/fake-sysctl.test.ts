import { expect, test } from 'vitest'
import { sysctlBehaviour } from '../../test/sysctl.suite.ts'
import { fakeSysctl } from './fake-sysctl.ts'

const values = { 'net.ipv4.conf.default.arp_notify': 0, 'net.ipv4.ip_local_port_range': '32768 60999' }

sysctlBehaviour('the fake', async () => {
  const { open } = fakeSysctl(values)
  return { where: 'host', open, async [Symbol.asyncDispose]() {} }
})

test("a link has the default's settings until they are set for the link", async () => {
  const settings = fakeSysctl({ ...values, 'net.ipv4.conf.eth0.arp_notify': 1 })
  expect(await settings.get('net.ipv4.conf.eth0.arp_notify')).toBe('1')
  expect(await settings.get('net/ipv4/conf/eth0.100/arp_notify')).toBe('0')
  await settings.set('net.ipv4.conf.eth0.100.arp_notify', 1)
  expect(await settings.get('net/ipv4/conf/eth0.100/arp_notify')).toBe('1')
})
