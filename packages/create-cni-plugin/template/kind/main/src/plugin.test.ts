import { testPlugin } from '@cni/skel/testing'
import { expect, test } from 'vitest'
import { wrong } from '../test/given.ts'
import { cableOf, endsOf, plugin } from './plugin.ts'

const ipam = { type: 'host-local' }

test('an invalid configuration is rejected before any change, and the error names the member', async () => {
  const { exitCode, error } = await testPlugin(plugin()).add({ conf: { ...wrong.conf, ipam } })
  expect(exitCode).toBe(1)
  expect(error?.msg).toBe(wrong.msg)
})

test('each address is alone in its network, and needs a gateway', () => {
  const ips = [
    { address: '10.1.0.5/24', gateway: '10.1.0.1' },
    { address: 'fd00::5/64', gateway: 'fd00::1' },
  ]
  expect(endsOf({ ips })).toEqual([
    { address: '10.1.0.5/32', gateway: '10.1.0.1/32' },
    { address: 'fd00::5/128', gateway: 'fd00::1/128' },
  ])
  expect(() => endsOf({ ips: [{ address: '10.1.0.5/24' }] })).toThrow('no gateway for the address 10.1.0.5/24')
})

test('a cable has a valid interface name, different for each attachment', () => {
  const attachment = { networkName: 'pods', containerID: 'c'.repeat(64), ifName: 'eth0' }
  const names = [cableOf(attachment), cableOf({ ...attachment, ifName: 'eth1' })]
  expect(new Set(names).size).toBe(2)
  for (const name of names) expect(name.length).toBeLessThanOrEqual(15)
})
