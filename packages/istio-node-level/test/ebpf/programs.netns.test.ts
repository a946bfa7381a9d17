import { ebpf, type Program } from '@cni/ebpf'
import { type Netns, netns, openRtnl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startApp } from '../../../istio-redirect/src/testing/node/stand-ins.ts'
import { assemble } from '../../src/asm/assemble.ts'
import { mappedAddress, mapSpecs, noZtunnel, type Target } from '../../src/objects/maps.ts'
import { CAPTURE_DNS, tags } from '../../src/programs/constants.ts'
import { LICENSE, type ProgramName, programs } from '../../src/programs/programs.ts'
import { type DropReason, dropReasons } from '../../src/programs/reasons.ts'
import { packetOf, type Sent } from './packet.ts'
import { ztunnelSockets } from './ztunnel-sockets.ts'

const kernel = ebpf()
let stack: DisposableStack
let maps: ReturnType<typeof makeMaps>
let loaded: ReadonlyMap<ProgramName, Program>

const makeMaps = () => ({
  host_ip_info: stack.use(kernel.createMap(mapSpecs.host_ip_info)),
  ztunnel_info: stack.use(kernel.createMap(mapSpecs.ztunnel_info)),
  ztunnel_before: stack.use(kernel.createMap(mapSpecs.ztunnel_before)),
  app_info: stack.use(kernel.createMap(mapSpecs.app_info)),
  drops: stack.use(kernel.createMap(mapSpecs.drops)),
})

beforeAll(() => {
  stack = new DisposableStack()
  maps = makeMaps()
  const descriptors = Object.fromEntries(Object.entries(maps).map(([name, map]) => [name, map.fd]))
  const names: readonly ProgramName[] = [
    'app_outbound',
    'app_inbound',
    'ztunnel_host_ingress',
    'ztunnel_tproxy',
    'ztunnel_ingress',
  ]
  loaded = new Map(
    names.map((name) => {
      const { [name]: text } = programs
      const instructions = assemble(text, descriptors)
      return [name, stack.use(kernel.load({ name: text.name, instructions, license: LICENSE }))]
    }),
  )
})
afterAll(() => stack.dispose())

const NODE = '10.0.0.1'
const POD = '10.0.0.5'
const OTHER = '10.0.0.6'
const FAR = '192.0.2.2'
const ztunnel: Target = { ifindex: 1, mac: '02:00:00:00:00:77', flags: 0, pad: 0 }
const pod: Target = { ifindex: 1, mac: '02:00:00:00:00:55', flags: 0, pad: 0 }

beforeEach(() => {
  for (const [at] of dropReasons.entries()) maps.drops.set(at, 0n)
  for (const [address] of maps.app_info.entries()) maps.app_info.delete(address)
  maps.host_ip_info.set(0, mappedAddress(NODE))
  maps.ztunnel_info.set(0, ztunnel)
  maps.ztunnel_before.set(0, { ...noZtunnel, netns: 0 })
  // The kernel runs a test on loopback, which is link 1.
  maps.app_info.set(POD, pod)
})

/** Result of a program for a packet: action, target, tag, counted drop reasons and mark. */
function outcome(name: ProgramName, sent: Sent, tag = 0): string {
  const program = loaded.get(name)
  if (program === undefined) throw new Error(`${name} is not loaded`)
  const result = program.testRun({ packet: packetOf(sent), cb: [0, 0, 0, 0, tag] })
  const mac = Buffer.from(result.packet.subarray(0, 6)).toString('hex', 5)
  const counted = dropReasons.filter((_, at) => maps.drops.get(at) !== 0n)
  const to = result.action === 'redirect' ? [`to ${mac}`, `with ${result.cb[4]}`] : []
  return [result.action, ...to, ...counted, ...(result.mark === 0 ? [] : [`marked ${result.mark}`])].join(' ')
}

const toZtunnel = (tag: number): string => `redirect to 77 with ${tag}`
const dropped = (reason: DropReason): string => `shot ${reason}`
const tcp: Sent = { from: POD, to: FAR }
const query: Sent = { from: POD, to: FAR, protocol: 17, port: 53 }
const others: readonly (readonly [string, Sent])[] = [
  ['of IPv6', { ...tcp, etherType: 0x86dd }],
  ['of ARP', { ...tcp, etherType: 0x0806 }],
  ['that is a ping', { ...tcp, protocol: 1 }],
]

describe('app_outbound', () => {
  test.each<[string, Sent, string]>([
    ['a connection', tcp, toZtunnel(tags.outbound)],
    ['a fragment of a connection', { ...tcp, fragment: 100 }, toZtunnel(tags.outbound)],
    ['an answer to a probe', { from: POD, to: NODE }, 'unspec'],
    ['a connection with a foreign source address', { from: '10.9.9.9', to: FAR }, dropped('foreign_source')],
    ['a query', query, 'unspec'],
    ['another datagram', { ...query, port: 9999 }, 'unspec'],
    ...others.map(([what, sent]): [string, Sent, string] => [`a packet ${what}`, sent, 'unspec']),
  ])('%s', (_, sent, expected) => {
    expect(outcome('app_outbound', sent)).toBe(expected)
  })

  test('a packet with the address of a pod on another link is dropped', () => {
    maps.app_info.set(POD, { ...pod, ifindex: 7 })
    expect(outcome('app_outbound', tcp)).toBe(dropped('foreign_source'))
  })

  test('without a ztunnel connections and queries are dropped, and answers to probes pass', () => {
    maps.ztunnel_info.set(0, noZtunnel)
    expect(outcome('app_outbound', { from: POD, to: NODE })).toBe('unspec')
    expect(outcome('app_outbound', tcp)).toBe(dropped('no_ztunnel_out'))
    expect(outcome('app_outbound', query)).toBe(dropped('no_ztunnel_out'))
  })

  test.each<[string, Sent, string]>([
    ['a query', query, toZtunnel(tags.outbound)],
    ['a query with options in its header', { ...query, options: 3 }, toZtunnel(tags.outbound)],
    ['another datagram', { ...query, port: 9999 }, 'unspec'],
    ['a part of a datagram', { ...query, fragment: 100 }, 'unspec'],
    ['a query without ports', { ...query, length: 34 }, 'unspec'],
  ])('with DNS capture, %s', (_, sent, expected) => {
    maps.ztunnel_info.set(0, { ...ztunnel, flags: CAPTURE_DNS })
    expect(outcome('app_outbound', sent)).toBe(expected)
  })
})

describe('app_inbound', () => {
  test.each<[string, Sent, number, string]>([
    ['a connection', { from: FAR, to: POD }, 0, toZtunnel(tags.inbound)],
    ['a connection from ztunnel', { from: FAR, to: POD }, tags.fromZtunnel, 'unspec'],
    ['a connection with another tag', { from: FAR, to: POD }, tags.outbound, toZtunnel(tags.inbound)],
    ['a probe', { from: NODE, to: POD }, 0, 'unspec'],
    ['a datagram', { from: FAR, to: POD, protocol: 17 }, 0, 'unspec'],
    ...others.map(([what, sent]): [string, Sent, number, string] => [`a packet ${what}`, sent, 0, 'unspec']),
  ])('%s', (_, sent, tag, expected) => {
    expect(outcome('app_inbound', sent, tag)).toBe(expected)
  })

  test('without a ztunnel all packets are dropped, except probes and packets from ztunnel', () => {
    maps.ztunnel_info.set(0, noZtunnel)
    expect(outcome('app_inbound', { from: NODE, to: POD })).toBe('unspec')
    expect(outcome('app_inbound', { from: FAR, to: POD }, tags.fromZtunnel)).toBe('unspec')
    expect(outcome('app_inbound', { from: FAR, to: POD })).toBe(dropped('no_ztunnel_in'))
  })
})

describe('ztunnel_host_ingress', () => {
  test.each<[string, Sent, string]>([
    ['to a pod in the mesh', { from: FAR, to: POD }, `redirect to 55 with ${tags.fromZtunnel}`],
    [
      'a datagram to a pod in the mesh',
      { from: FAR, to: POD, protocol: 17 },
      `redirect to 55 with ${tags.fromZtunnel}`,
    ],
    ['to a pod outside the mesh', { from: POD, to: OTHER }, 'unspec'],
    ['to elsewhere', { from: POD, to: FAR }, 'unspec'],
    ...others.map(([what, sent]): [string, Sent, string] => [`a packet ${what}`, { ...sent, to: POD }, 'unspec']),
  ])('%s', (_, sent, expected) => {
    expect(outcome('ztunnel_host_ingress', sent)).toBe(expected)
  })
})

describe('ztunnel_tproxy', () => {
  // ztunnel does not listen in the namespace of these tests.
  test.each<[string, Sent, number, string]>([
    ['untagged', tcp, 0, 'unspec'],
    ['with the tag of a packet from ztunnel', tcp, tags.fromZtunnel, 'unspec'],
    ['an outbound connection', tcp, tags.outbound, dropped('no_listener')],
    ['an inbound connection', tcp, tags.inbound, dropped('no_listener')],
    ['a connection to port 15008', { ...tcp, port: 15_008 }, tags.inbound, dropped('no_listener')],
    ['a fragment', { ...tcp, fragment: 100 }, tags.outbound, dropped('no_ports')],
    ['a packet without ports', { ...tcp, length: 36 }, tags.outbound, dropped('no_ports')],
    ['a query', query, tags.outbound, dropped('no_listener')],
    ['an inbound query', query, tags.inbound, 'unspec'],
    ['another datagram', { ...query, port: 9999 }, tags.outbound, 'unspec'],
    ...others.map(([what, sent]): [string, Sent, number, string] => [
      `a packet ${what}`,
      sent,
      tags.outbound,
      'unspec',
    ]),
  ])('%s', (_, sent, tag, expected) => {
    expect(outcome('ztunnel_tproxy', sent, tag)).toBe(expected)
  })
})

describe('ztunnel_tproxy with listeners of ztunnel', () => {
  let inside: Netns
  let running: AsyncDisposableStack
  beforeAll(async () => {
    running = new AsyncDisposableStack()
    inside = running.use(await tempNetns())
    running.use(await startApp(inside, { name: 'zt', ports: [15_001, 15_006, 15_008, 15_020] }))
  })
  afterAll(() => running.disposeAsync())

  // A test run is not on the ingress path, so sockets cannot be assigned. The reason `not_assigned` shows that one was
  // found.
  test.each<[string, Sent, number]>([
    ['an outbound connection', tcp, tags.outbound],
    ['an inbound connection', tcp, tags.inbound],
    ['a connection to port 15008', { ...tcp, port: 15_008 }, tags.inbound],
    [
      'a connection to an address and port that ztunnel itself listens on',
      { from: POD, to: '127.0.0.1', port: 15_020 },
      tags.inbound,
    ],
  ])('%s finds the listener, and is dropped because the kernel does not accept the socket', (_, sent, tag) => {
    expect(netns.run(inside, () => outcome('ztunnel_tproxy', sent, tag))).toBe(dropped('not_assigned'))
  })
})

// `not_rewritten` cannot be tested: after a complete IPv4 header the MAC address always fits into the packet. The
// kernel refuses the write only if it has no memory for a copy.
test('the shortest packet that a program redirects can be rewritten', () => {
  expect(outcome('app_inbound', { from: FAR, to: POD, length: 34 })).toBe(toZtunnel(tags.inbound))
})

describe('ztunnel_ingress', () => {
  test.each<[string, Sent, number, string]>([
    ['untagged', tcp, 0, 'unspec'],
    ['an outbound connection', tcp, tags.outbound, 'ok marked 8765'],
    ['an inbound connection', tcp, tags.inbound, 'ok marked 5678'],
    ['a query', query, tags.outbound, 'unspec'],
    ['a fragment', { ...tcp, fragment: 100 }, tags.inbound, dropped('no_ports')],
    ...others.map(([what, sent]): [string, Sent, number, string] => [`a packet ${what}`, sent, tags.inbound, 'unspec']),
  ])('%s', (_, sent, tag, expected) => {
    expect(outcome('ztunnel_ingress', sent, tag)).toBe(expected)
  })
})

describe('with sockets of ztunnel', () => {
  let inside: Netns
  let running: AsyncDisposableStack
  beforeAll(async () => {
    running = new AsyncDisposableStack()
    inside = running.use(await tempNetns())
    running.use(await ztunnelSockets(inside))
  })
  afterAll(() => running.disposeAsync())

  const toItself = (port: number): Sent => ({ from: '127.0.0.1', to: '127.0.0.1', port })
  test.each<[string, ProgramName, Sent, number, string]>([
    ['a query finds the DNS socket', 'ztunnel_tproxy', query, tags.outbound, dropped('not_assigned')],
    ['an outbound packet of a connection passes', 'ztunnel_ingress', toItself(15_001), tags.outbound, 'unspec'],
    ['an inbound packet of a connection passes', 'ztunnel_ingress', toItself(15_020), tags.inbound, 'unspec'],
    ['an inbound packet to port 15006 is marked', 'ztunnel_ingress', toItself(15_006), tags.inbound, 'ok marked 5678'],
    ['an inbound packet to port 15008 is marked', 'ztunnel_ingress', toItself(15_008), tags.inbound, 'ok marked 5678'],
    [
      'a new connection to a listener is marked',
      'ztunnel_ingress',
      { ...toItself(15_001), from: POD },
      tags.outbound,
      'ok marked 8765',
    ],
  ])('%s (%s)', (_, name, sent, tag, expected) => {
    expect(netns.run(inside, () => outcome(name, sent, tag))).toBe(expected)
  })

  describe('a previous ztunnel in another namespace', () => {
    let node: Netns
    beforeAll(async () => {
      node = running.use(await tempNetns())
      using rtnl = await openRtnl(node)
      await rtnl.addLink({ kind: 'veth', name: 'vzt', peer: { name: 'eth0', netns: inside } })
      number = (await rtnl.getLink('vzt'))?.parentNetns ?? -1
    })
    let number: number
    const before = (): void => maps.ztunnel_before.set(0, { ...ztunnel, mac: '02:00:00:00:00:66', netns: number })
    const unknown = { ...toItself(15_020), from: POD }
    test.each<[string, Sent, '66' | '77']>([
      ['a packet of its connection goes to it', toItself(15_020), '66'],
      ['a packet of another connection goes to the current ztunnel', unknown, '77'],
      [
        'a packet of an unknown connection to its listener goes to the current ztunnel',
        { ...unknown, port: 15_001 },
        '77',
      ],
      ['a fragment goes to the current ztunnel', { ...toItself(15_020), fragment: 100 }, '77'],
    ])('%s', (_, sent, mac) => {
      before()
      maps.app_info.set(sent.from, pod)
      const run = (name: ProgramName): string => netns.run(node, () => outcome(name, sent))
      expect(run('app_outbound')).toBe(`redirect to ${mac} with ${tags.outbound}`)
      expect(run('app_inbound')).toBe(`redirect to ${mac} with ${tags.inbound}`)
    })

    test('datagrams do not go to it', () => {
      before()
      const datagram = { ...toItself(15_053), protocol: 17 }
      expect(netns.run(node, () => outcome('app_inbound', datagram))).toBe('unspec')
    })

    test('its connections go to it also without a current ztunnel', () => {
      before()
      maps.ztunnel_info.set(0, noZtunnel)
      const run = (sent: Sent): string => netns.run(node, () => outcome('app_inbound', sent))
      expect(run(toItself(15_020))).toBe(`redirect to 66 with ${tags.inbound}`)
      expect(run(unknown)).toBe(dropped('no_ztunnel_in'))
    })
  })
})
