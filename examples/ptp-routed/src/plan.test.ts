import { expect, it } from 'vitest'
import { hostLinkOf, planOf } from './plan.ts'

it('a pod is alone on its cable, and sends everything to the gateway', () => {
  const leased = {
    ips: [
      { address: '10.1.0.5/24', gateway: '10.1.0.1' },
      { address: 'fd01::5/64', gateway: 'fd01::1' },
    ],
    routes: [{ dst: '0.0.0.0/0' }, { dst: '::/0' }, { dst: '192.0.2.0/24', gw: '10.1.0.1', mtu: 1400, priority: 7 }],
  }
  expect(planOf(leased, 'eth0', 'ptp0')).toEqual({
    ips: [
      { address: '10.1.0.5/32', gateway: '10.1.0.1' },
      { address: 'fd01::5/128', gateway: 'fd01::1' },
    ],
    pod: {
      addresses: [
        { link: 'eth0', cidr: '10.1.0.5/32' },
        { link: 'eth0', cidr: 'fd01::5/128', noDad: true },
      ],
      routes: [
        { cidr: '10.1.0.1/32', link: 'eth0' },
        { cidr: 'fd01::1/128', link: 'eth0' },
        { cidr: '0.0.0.0/0', gateway: '10.1.0.1', link: 'eth0' },
        { cidr: '::/0', gateway: 'fd01::1', link: 'eth0' },
        { cidr: '192.0.2.0/24', gateway: '10.1.0.1', link: 'eth0', mtu: 1400, metric: 7 },
      ],
    },
    node: {
      addresses: [
        { link: 'ptp0', cidr: '10.1.0.1/32' },
        { link: 'ptp0', cidr: 'fd01::1/128', noDad: true },
      ],
      routes: [
        { cidr: '10.1.0.5/32', link: 'ptp0' },
        { cidr: 'fd01::5/128', link: 'ptp0' },
      ],
    },
    hasIpv6: true,
  })
})

it('an address without a gateway is rejected by name', () => {
  expect(() => planOf({ ips: [{ address: '10.1.0.5/24' }] }, 'eth0', 'ptp0')).toThrow('10.1.0.5/32')
})

it("the node's end has a unique name for each attachment, which is short enough", () => {
  const names = ['a', 'b'].flatMap((networkName) =>
    ['c', 'd'].map((id) => hostLinkOf({ networkName, containerID: id.repeat(200), ifName: 'eth0' })),
  )
  expect(new Set(names).size).toBe(4)
  for (const name of names) expect(name).toMatch(/^ptp[0-9a-f]{12}$/)
})
