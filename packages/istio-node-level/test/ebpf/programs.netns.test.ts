import { ebpf, type Program } from '@cni/ebpf'
import { type Netns, netns, openRtnl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startApp } from '../../../istio-redirect/src/testing/node/stand-ins.ts'
import { assemble } from '../../src/asm/assemble.ts'
import { mappedAddress, mapSpecs, nobody, type Target } from '../../src/objects/maps.ts'
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
  maps.ztunnel_before.set(0, { ...nobody, netns: 0 })
  // The kernel runs a test on loopback, which is link 1.
  maps.app_info.set(POD, pod)
})

/** What becomes of a packet, and who gets it with which tag or mark. */
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
    ['a fragment of one', { ...tcp, fragment: 100 }, toZtunnel(tags.outbound)],
    ['what answers a probe', { from: POD, to: NODE }, 'unspec'],
    ['a connection with the address of nobody', { from: '10.9.9.9', to: FAR }, dropped('foreign_source')],
    ['a query', query, 'unspec'],
    ['another datagram', { ...query, port: 9999 }, 'unspec'],
    ...others.map(([what, sent]): [string, Sent, string] => [`a packet ${what}`, sent, 'unspec']),
  ])('%s', (_, sent, expected) => {
    expect(outcome('app_outbound', sent)).toBe(expected)
  })

  test('with the address of a pod on another link nothing is sent', () => {
    maps.app_info.set(POD, { ...pod, ifindex: 7 })
    expect(outcome('app_outbound', tcp)).toBe(dropped('foreign_source'))
  })

  test('without a ztunnel connections and queries are dropped, and answers to probes pass', () => {
    maps.ztunnel_info.set(0, nobody)
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
  ])('where ztunnel answers queries, %s', (_, sent, expected) => {
    maps.ztunnel_info.set(0, { ...ztunnel, flags: CAPTURE_DNS })
    expect(outcome('app_outbound', sent)).toBe(expected)
  })
})

describe('app_inbound', () => {
  test.each<[string, Sent, number, string]>([
    ['a connection', { from: FAR, to: POD }, 0, toZtunnel(tags.inbound)],
    ['one that comes from ztunnel', { from: FAR, to: POD }, tags.fromZtunnel, 'unspec'],
    ['one that has another tag', { from: FAR, to: POD }, tags.outbound, toZtunnel(tags.inbound)],
    ['a probe', { from: NODE, to: POD }, 0, 'unspec'],
    ['a datagram', { from: FAR, to: POD, protocol: 17 }, 0, 'unspec'],
    ...others.map(([what, sent]): [string, Sent, number, string] => [`a packet ${what}`, sent, 0, 'unspec']),
  ])('%s', (_, sent, tag, expected) => {
    expect(outcome('app_inbound', sent, tag)).toBe(expected)
  })

  test('without a ztunnel everything but probes, and what one has sent, is dropped', () => {
    maps.ztunnel_info.set(0, nobody)
    expect(outcome('app_inbound', { from: NODE, to: POD })).toBe('unspec')
    expect(outcome('app_inbound', { from: FAR, to: POD }, tags.fromZtunnel)).toBe('unspec')
    expect(outcome('app_inbound', { from: FAR, to: POD })).toBe(dropped('no_ztunnel_in'))
  })
})

describe('ztunnel_host_ingress', () => {
  test.each<[string, Sent, string]>([
    ['to a pod in the mesh', { from: FAR, to: POD }, `redirect to 55 with ${tags.fromZtunnel}`],
    ['a datagram to one', { from: FAR, to: POD, protocol: 17 }, `redirect to 55 with ${tags.fromZtunnel}`],
    ['to another one', { from: POD, to: OTHER }, 'unspec'],
    ['to elsewhere', { from: POD, to: FAR }, 'unspec'],
    ...others.map(([what, sent]): [string, Sent, string] => [`a packet ${what}`, { ...sent, to: POD }, 'unspec']),
  ])('%s', (_, sent, expected) => {
    expect(outcome('ztunnel_host_ingress', sent)).toBe(expected)
  })
})

describe('ztunnel_tproxy', () => {
  // Nobody listens where tests run.
  test.each<[string, Sent, number, string]>([
    ['untagged', tcp, 0, 'unspec'],
    ['with the tag of a packet from ztunnel', tcp, tags.fromZtunnel, 'unspec'],
    ['an outbound connection', tcp, tags.outbound, dropped('no_listener')],
    ['an inbound connection', tcp, tags.inbound, dropped('no_listener')],
    ['one to port 15008', { ...tcp, port: 15_008 }, tags.inbound, dropped('no_listener')],
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

describe('ztunnel_tproxy where ztunnel listens', () => {
  let inside: Netns
  let running: AsyncDisposableStack
  beforeAll(async () => {
    running = new AsyncDisposableStack()
    inside = running.use(await tempNetns())
    running.use(await startApp(inside, { name: 'zt', ports: [15_001, 15_006, 15_008, 15_020] }))
  })
  afterAll(() => running.disposeAsync())

  // A test is not where packets come in, so that no socket is assigned: what is refused there is what was found.
  test.each<[string, Sent, number]>([
    ['an outbound connection', tcp, tags.outbound],
    ['an inbound one', tcp, tags.inbound],
    ['one to port 15008', { ...tcp, port: 15_008 }, tags.inbound],
    [
      'one to an address and port that ztunnel itself listens on',
      { from: POD, to: '127.0.0.1', port: 15_020 },
      tags.inbound,
    ],
  ])('%s finds the listener, and is dropped where the kernel does not take it', (_, sent, tag) => {
    expect(netns.run(inside, () => outcome('ztunnel_tproxy', sent, tag))).toBe(dropped('not_assigned'))
  })
})

// `not_rewritten` has no packet here: who has read a header of IPv4 has the six bytes that are written, so that the kernel
// refuses only where it has no memory for a copy of them. Then the packet would be led to a link that does not take it.
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

describe('where ztunnel has its sockets', () => {
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
    ['a query finds the one for queries', 'ztunnel_tproxy', query, tags.outbound, dropped('not_assigned')],
    ['what is outbound of a connection passes', 'ztunnel_ingress', toItself(15_001), tags.outbound, 'unspec'],
    ['what is inbound of a connection passes', 'ztunnel_ingress', toItself(15_020), tags.inbound, 'unspec'],
    ['but by the rules on port 15006', 'ztunnel_ingress', toItself(15_006), tags.inbound, 'ok marked 5678'],
    ['and on port 15008', 'ztunnel_ingress', toItself(15_008), tags.inbound, 'ok marked 5678'],
    [
      'another connection to a listener goes by the rules',
      'ztunnel_ingress',
      { ...toItself(15_001), from: POD },
      tags.outbound,
      'ok marked 8765',
    ],
  ])('%s (%s)', (_, name, sent, tag, expected) => {
    expect(netns.run(inside, () => outcome(name, sent, tag))).toBe(expected)
  })

  describe('which served before, of another namespace', () => {
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
      ['a packet of a connection stays with it', toItself(15_020), '66'],
      ['one of no connection of it goes to who serves', unknown, '77'],
      ['one of nobody that its listeners know goes there, too', { ...unknown, port: 15_001 }, '77'],
      ['a fragment goes there, too', { ...toItself(15_020), fragment: 100 }, '77'],
    ])('%s', (_, sent, mac) => {
      before()
      maps.app_info.set(sent.from, pod)
      const run = (name: ProgramName): string => netns.run(node, () => outcome(name, sent))
      expect(run('app_outbound')).toBe(`redirect to ${mac} with ${tags.outbound}`)
      expect(run('app_inbound')).toBe(`redirect to ${mac} with ${tags.inbound}`)
    })

    test('datagrams are none of it', () => {
      before()
      const datagram = { ...toItself(15_053), protocol: 17 }
      expect(netns.run(node, () => outcome('app_inbound', datagram))).toBe('unspec')
    })

    test('its connections stay with it where nobody serves', () => {
      before()
      maps.ztunnel_info.set(0, nobody)
      const run = (sent: Sent): string => netns.run(node, () => outcome('app_inbound', sent))
      expect(run(toItself(15_020))).toBe(`redirect to 66 with ${tags.inbound}`)
      expect(run(unknown)).toBe(dropped('no_ztunnel_in'))
    })
  })
})
