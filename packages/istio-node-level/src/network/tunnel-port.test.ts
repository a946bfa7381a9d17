import type { Link } from '@cni/netns'
import { describe, expect, test } from 'vitest'
import { boundPorts, type PortsOfNamespace, tunnelPort } from './tunnel-port.ts'

const ZTUNNEL = '10.60.0.2'
const link = (name: string, end: Pick<Link, 'geneve' | 'vxlan'>): Link => ({
  ...{
    index: 7,
    name,
    mtu: 1450,
    txqlen: 0,
    up: true,
    running: true,
    loopback: false,
    promisc: false,
    allmulti: false,
  },
  ...{ kind: end.geneve === undefined ? 'vxlan' : 'geneve', ...end },
})
const having = (links: readonly Link[], bound: readonly number[] = []): PortsOfNamespace => ({
  links,
  bound: new Set([...bound, ...links.flatMap(({ geneve, vxlan }) => (geneve ?? vxlan)?.port ?? [])]),
})
const nothing = having([])

describe('the port of the tunnels', () => {
  const geneve = (id: number, remote: string, port = 6081) => link('g', { geneve: { id, remote, port } })
  const vxlan = (id: number, remote?: string, port = 6081) =>
    link('v', { vxlan: { id, port, ...(remote === undefined ? {} : { remote }) } })

  test.each<[string, 'geneve' | 'vxlan', PortsOfNamespace[], number]>([
    ['is 6081 if it is free', 'geneve', [nothing, nothing], 6081],
    ['is the next free port if a program of the node uses 6081', 'geneve', [having([], [6081, 6082]), nothing], 6083],
    [
      'is the next free port if a program in ztunnel’s namespace uses 6081',
      'geneve',
      [nothing, having([], [6081])],
      6082,
    ],
    ['is shared with tunnels to other addresses', 'geneve', [having([geneve(5, '10.0.0.1')]), nothing], 6081],
    ['is not shared with a tunnel that accepts all packets', 'geneve', [having([geneve(0, '')]), nothing], 6082],
    [
      'is not shared with a tunnel to ztunnel with one of our identifiers',
      'geneve',
      [having([geneve(1001, ZTUNNEL)]), nothing],
      6082,
    ],
    [
      'is shared with a tunnel to another address with one of our identifiers',
      'geneve',
      [having([geneve(1001, '10.0.0.1')]), nothing],
      6081,
    ],
    [
      'is not shared with a VXLAN tunnel with one of our identifiers',
      'vxlan',
      [having([vxlan(1000, '10.0.0.1')]), nothing],
      6082,
    ],
    ['is not shared with a VXLAN tunnel that accepts all packets', 'vxlan', [having([vxlan(0)]), nothing], 6082],
    ['is not shared with tunnels of another kind', 'vxlan', [having([geneve(5, '10.0.0.1')]), nothing], 6082],
    [
      'stays the same if our tunnel has a port',
      'vxlan',
      [having([link('istioin', { vxlan: { id: 1000, remote: ZTUNNEL, port: 6090 } })]), nothing],
      6090,
    ],
    [
      'changes if our tunnel is of the other kind',
      'geneve',
      [having([link('istioin', { vxlan: { id: 1000, remote: ZTUNNEL, port: 6081 } })]), nothing],
      6082,
    ],
  ])('%s', (_, kind, namespaces, port) => {
    expect(tunnelPort(kind, ZTUNNEL, namespaces)).toBe(port)
  })

  test('causes an error if no port is free', () => {
    const all = having(
      [],
      Array.from({ length: 1000 }, (_, at) => 6000 + at),
    )
    expect(() => tunnelPort('geneve', ZTUNNEL, [all])).toThrow(
      expect.objectContaining({ code: 'NO_PORT', message: expect.stringContaining('from 6081 to 6336') }),
    )
  })
})

test('boundPorts reads ports from the kernel’s file', () => {
  expect(
    boundPorts(
      '   sl  local_address rem_address   st tx_queue rx_queue\n' +
        '  100: 00000000:17C1 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 0 2 0 0\n' +
        '  101: 00000000000000000000000000000000:0035 00000000000000000000000000000000:0000 07\n',
    ),
  ).toEqual([6081, 53])
  expect(boundPorts('')).toEqual([])
})
