import { join } from 'node:path'
import { type Netns, netns } from '@cni/netns'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tempBpffs } from '../../../ebpf/test/bpffs.ts'
import {
  startTransparentZtunnel,
  type TransparentZtunnel,
} from '../../../istio-redirect/src/testing/node/ztunnel/transparent-ztunnel.ts'
import { type OpenEbpfSide, openEbpfSide } from '../../src/ebpf/open-ebpf-side.ts'
import { dropReasons } from '../../src/programs/reasons.ts'
import { askName } from '../ask-name.ts'
import { addresses, type Name, nameOfAddress, type PtpNode, ptpNode, startServers } from '../ptp-node.ts'
import { answerOf, serveName } from '../sockets.ts'

type Way = readonly [from: Name, to: Name, port?: number]

/**
 * Connections, with the direction under which ztunnel forwards each. Without a direction a connection bypasses ztunnel.
 * `app` and `other` are in the mesh.
 */
const walks: readonly (readonly [...Required<Way>, direction?: 'outbound' | 'inbound' | 'hbone'])[] = [
  ['app', 'far', 8080, 'outbound'],
  ['app', 'srv', 8080, 'outbound'],
  ['app', 'other', 8080, 'outbound'],
  ['srv', 'other', 8080, 'inbound'],
  ['far', 'other', 8080, 'inbound'],
  ['far', 'other', 15008, 'hbone'],
  ['app', 'far', 15021, 'outbound'],
  // ztunnel has a listener of its own on that port.
  ['srv', 'other', 15020, 'inbound'],
  ['app', 'far', 15020, 'outbound'],
  ['srv', 'zt', 15020],
  ['node', 'zt', 15020],
  // Connections of ztunnel itself.
  ['zt', 'other', 8080],
  ['zt', 'far', 8080],
  // Probe of the node.
  ['node', 'app', 8080],
  ['far', 'srv', 8080],
]

const LATE = 'no answer within 2 s'

describe.each([
  ['ptp', 'tproxy'],
  ['ptp', 'mark'],
  ['bridge', 'tproxy'],
  ['bridge', 'mark'],
] as const)('on %s, by %s', (network, variant) => {
  const dnsCapture = variant === 'tproxy'
  let stack: AsyncDisposableStack
  let node: PtpNode
  let side: OpenEbpfSide
  let ztunnel: TransparentZtunnel

  beforeAll(async () => {
    stack = new AsyncDisposableStack()
    const bpffs = stack.use(tempBpffs())
    node = stack.use(await ptpNode(network))
    stack.use(startServers(node, [8080, 15008, 15020, 15021]))
    // This server is in ztunnel's namespace, on a port that ztunnel does not use.
    stack.use(serveName(node.at.zt, 15020, 'zt'))
    ztunnel = startTransparentZtunnel(node.at.zt)
    stack.defer(() => ztunnel.stop())
    side = openEbpfSide({ netns: node.at.node, pins: join(bpffs.path, 'ambient'), variant })
    stack.defer(() => side.stop())
    await side.start({ ...node.ztunnel, dnsCapture })
    await side.addPod({ uid: 'app', addresses: [addresses.app], netns: node.at.app })
    await side.addPod({ uid: 'other', addresses: [addresses.other], netns: node.at.other })
  }, 60_000)
  afterAll(() => stack.disposeAsync())

  /** Opens connections. Resolves to the servers' answers and to the connections through ztunnel, both sorted. */
  async function walk(...ways: readonly Way[]): Promise<{ seen: string[]; forwarded: string[] }> {
    const before = ztunnel.forwarded.length
    const walking = ways.map(async ([from, to, port = 8080]) => {
      const answer = await answerOf(node.at[from], addresses[to], port)
      return `${from} to ${to}:${port}: ${answer.replace(/[\d.]+$/, nameOfAddress)}`
    })
    const seen = await Promise.all(walking)
    const passed = ztunnel.forwarded.slice(before)
    const forwarded = passed.map((each) => {
      const [address = '', port] = each.to.split(':')
      return `${each.direction} ${nameOfAddress(each.from)} to ${nameOfAddress(address)}:${port}`
    })
    return { seen: seen.toSorted(), forwarded: forwarded.toSorted() }
  }

  test('connections of pods in the mesh pass through ztunnel with their addresses, and other connections do not', async () => {
    const ways = walks.map(([from, to, port]): Way => [from, to, port])
    const expected = walks.map(([from, to, port = 8080]) => `${from} to ${to}:${port}: ${to} saw ${from}`)
    const through = walks.flatMap(([from, to, port = 8080, direction]) =>
      direction === undefined ? [] : [`${direction} ${from} to ${to}:${port}`],
    )
    expect(await walk(...ways)).toEqual({ seen: expected.toSorted(), forwarded: through.toSorted() })
  })

  test('queries go to ztunnel if it captures DNS, and other datagrams, also fragmented, to their destination', async () => {
    expect(await askName(node.at.app, addresses.srv, dnsCapture ? 10_000 : 700)).toBe(
      dnsCapture ? 'no such name' : 'no answer',
    )
    expect(await askName(node.at.srv, addresses.far, 700)).toBe('no answer')
    expect(await datagramEchoed(node.at.app, node.at.srv, addresses.srv, 100)).toBe(addresses.app)
    expect(await datagramEchoed(node.at.app, node.at.far, addresses.far, 4000)).toBe(addresses.app)
  })

  test('traffic causes no drift and no drops', async () => {
    expect(await side.drift()).toEqual([])
    expect(side.objects.variant).toBe(variant)
    expect(side.objects.maps.drops.values().every((count) => count === 0n)).toBe(true)
  })

  test('without a ztunnel only probes pass, and with the next ztunnel all traffic passes', async () => {
    await ztunnel.stop()
    expect(await walk(['app', 'far'], ['srv', 'other'], ['node', 'app'], ['far', 'srv'])).toEqual({
      seen: [
        `app to far:8080: ${LATE}`,
        'far to srv:8080: srv saw far',
        'node to app:8080: app saw node',
        `srv to other:8080: ${LATE}`,
      ],
      forwarded: [],
    })
    const dropped = side.objects.maps.drops.values()
    expect(dropped[dropReasons.indexOf('no_listener')] !== 0n).toBe(variant === 'tproxy')
    side.objects.maps.ztunnel_info.set(0, { ifindex: 0, mac: '00:00:00:00:00:00', flags: 0, pad: 0 })
    expect((await walk(['node', 'app'])).seen).toEqual(['node to app:8080: app saw node'])
    expect(await side.drift()).toEqual([
      expect.stringMatching(/^pods are directed to link 0, not to ztunnel on link \d+$/),
    ])
    await side.heal()
    const next = {
      ...node.ztunnel,
      uid: 'zt-2',
      ip: '10.60.0.6',
      netns: await node.pod('zt2', '10.60.0.6'),
      dnsCapture,
    }
    ztunnel = startTransparentZtunnel(next.netns)
    expect((await side.start(next)).warnings).toEqual([])
    expect(await walk(['app', 'far'], ['srv', 'other'])).toEqual({
      seen: ['app to far:8080: far saw app', 'srv to other:8080: other saw srv'],
      forwarded: ['inbound srv to other:8080', 'outbound app to far:8080'],
    })
    await side.removePod('app')
    expect(await walk(['app', 'srv'])).toEqual({ seen: ['app to srv:8080: srv saw app'], forwarded: [] })
  })
})

const PORT = 9999
const SERVER = `
const socket = require('node:dgram').createSocket('udp4')
socket.on('message', (data, from) => socket.send(data, from.port, from.address, () => {
  console.log(from.address)
  process.exit()
}))
socket.bind(${PORT})
setTimeout(() => process.exit(), 10_000)
`
const CLIENT = `
const socket = require('node:dgram').createSocket('udp4')
const [address, length] = process.argv.slice(1)
socket.on('message', (data) => process.exit(data.length === Number(length) ? 0 : 1))
const send = () => socket.send(Buffer.alloc(Number(length)), ${PORT}, address)
send()
setInterval(send, 50)
setTimeout(() => process.exit(2), 10_000)
`

/** Sends a datagram between namespaces and waits for the echo. Resolves to the source address that the receiver saw. */
async function datagramEchoed(from: Netns, to: Netns, address: string, length: number): Promise<string> {
  const [seen] = await Promise.all([
    netns.exec(to, [process.execPath, '-e', SERVER]),
    netns.exec(from, [process.execPath, '-e', CLIENT, address, String(length)]),
  ])
  return seen.stdout.trim()
}
