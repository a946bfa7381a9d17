import { changeInterface, containerIps, type Result } from '@cni/types'
import { expect, test } from 'vitest'

const result: Result = {
  interfaces: [{ name: 'cni0' }, { name: 'eth0', sandbox: '/run/netns/a' }, { name: 'net1', sandbox: '/run/netns/a' }],
  ips: [
    { address: '10.1.0.1/24', interface: 0 },
    { address: '10.1.0.2/24', interface: 1 },
    { address: 'FD00:0::2/64', interface: 1 },
    { address: '10.2.0.2/24', interface: 2 },
    { address: '10.3.0.2/24' },
    { address: '10.4.0.2/24', interface: -1 },
    { address: '10.5.0.2/24', interface: 9 },
  ],
}

test.each<[filter: Parameters<typeof containerIps>[1], ips: string[]]>([
  [{}, ['10.1.0.2', 'fd00::2', '10.2.0.2', '10.3.0.2', '10.4.0.2']],
  [{ family: 'ipv6' }, ['fd00::2']],
  [{ family: 'ipv4', ifName: 'eth0' }, ['10.1.0.2']],
  [{ ifName: 'cni0' }, []],
])("containerIps returns the container's addresses that match %j", (filter, ips) => {
  expect(containerIps(result, filter)).toEqual(ips)
})

test('a result without addresses has no container addresses, and an invalid address is rejected', () => {
  expect(containerIps({})).toEqual([])
  expect(() => containerIps({ ips: [{ address: '10.1.0.2' }] })).toThrow('invalid CIDR address: 10.1.0.2')
})

test("changeInterface changes only the container's interface, and not its arguments", () => {
  const before = structuredClone(result)
  const mac = '02:00:00:00:00:07'
  const changed = changeInterface({ ...result, interfaces: [...(result.interfaces ?? []), { name: 'eth0' }] }, 'eth0', {
    mac,
  })
  expect(changed.interfaces?.map((one) => one.mac)).toEqual([undefined, mac, undefined, undefined])
  expect(changed.ips).toEqual(result.ips)
  expect(result).toEqual(before)
  for (const name of ['cni0', 'eth9']) expect(changeInterface(result, name, { mac })).toBe(result)
  expect(changeInterface({}, 'eth0', { mac })).toEqual({})
})
