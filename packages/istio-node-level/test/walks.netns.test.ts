import { type Netns, netns, readFile } from '@cni/netns'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  startTransparentZtunnel,
  type TransparentZtunnel,
} from '../../istio-redirect/src/testing/node/ztunnel/transparent-ztunnel.ts'
import { iptablesSide } from '../src/iptables/iptables-side.ts'
import type { KernelSide } from '../src/kernel-side.ts'
import { askName } from './ask-name.ts'
import { tunnelKind } from './kinds.ts'
import { addresses, type Name, nameOfAddress, type PtpNode, ptpNode, startServers } from './ptp-node.ts'
import { answerOf } from './sockets.ts'

// On an emulated processor every process takes seconds to start.
vi.setConfig({ testTimeout: 120_000 })

let stack: AsyncDisposableStack
let node: PtpNode
let side: KernelSide
let ztunnel: TransparentZtunnel

beforeAll(async () => {
  stack = new AsyncDisposableStack()
  node = stack.use(await ptpNode())
  stack.use(startServers(node))
  ztunnel = startTransparentZtunnel(node.at.zt)
  stack.defer(() => ztunnel.stop())
  side = iptablesSide({ netns: node.at.node, hostIp: addresses.node, tunnel: await tunnelKind() })
  await side.start(node.ztunnel)
  await side.addPod({ uid: 'app', addresses: [addresses.app] })
  await side.addPod({ uid: 'other', addresses: [addresses.other] })
}, 300_000)
afterAll(() => stack.disposeAsync())

/** Opens a connection. Returns the server's answer and the connections through ztunnel. */
async function walk(from: Name, to: Name, port = 8080): Promise<string[]> {
  const before = ztunnel.forwarded.length
  const seen = (await answerOf(node.at[from], addresses[to], port)).replace(/[\d.]+$/, nameOfAddress)
  return [
    seen,
    ...ztunnel.forwarded.slice(before).map((each) => `${each.direction} ${nameOfAddress(each.from)} ${each.to}`),
  ]
}

/** Rules for connections with the outbound mark. Answers arrive on the veth with the server's address. */
const OUTBOUND = ['B4', 'B5', 'B6', 'B7', 'B11']
/** Rules for connections that the pod's route sends into the tunnel, without a mark. */
const INBOUND = ['B4', 'B5', 'B6', 'B7']

describe('a connection', () => {
  test.each<[string, [Name, Name, number?], string[], string[], string[]]>([
    [
      'of a pod in the mesh goes through tunnel 1001 to port 15001, and arrives with the address of the pod',
      ['app', 'srv'],
      ['srv saw app', `outbound app ${addresses.srv}:8080`],
      OUTBOUND,
      ['istioout'],
    ],
    [
      'of a pod outside the mesh to a pod in the mesh goes through tunnel 1000 to port 15006',
      ['srv', 'app'],
      ['app saw srv', `inbound srv ${addresses.app}:8080`],
      INBOUND,
      ['istioin'],
    ],
    [
      'to port 15008 of a pod in the mesh keeps its port',
      ['srv', 'app', 15008],
      ['app saw srv', `hbone srv ${addresses.app}:15008`],
      INBOUND,
      ['istioin'],
    ],
    [
      'between two pods in the mesh passes through ztunnel once',
      ['app', 'other'],
      ['other saw app', `outbound app ${addresses.other}:8080`],
      OUTBOUND,
      ['istioout'],
    ],
    [
      'of a pod in the mesh to another node passes through ztunnel',
      ['app', 'far'],
      ['far saw app', `outbound app ${addresses.far}:8080`],
      OUTBOUND,
      ['istioout'],
    ],
    [
      'of another node to a pod in the mesh passes through ztunnel',
      ['far', 'app'],
      ['app saw far', `inbound far ${addresses.app}:8080`],
      INBOUND,
      ['istioin'],
    ],
    [
      'of ztunnel with its own address goes directly to a pod in the mesh',
      ['zt', 'app'],
      ['app saw zt'],
      ['B2', 'B3', 'B8', 'B10'],
      [],
    ],
    ['of the node (a probe) goes directly to a pod in the mesh', ['node', 'app'], ['app saw node'], ['B11'], []],
    ['between pods outside the mesh bypasses ztunnel', ['far', 'srv'], ['srv saw far'], [], []],
    ['of a pod to itself stays in the pod', ['app', 'app'], ['app saw app'], [], []],
  ])('%s', async (_, [from, to, port], expected, rows, through) => {
    await forgetHits(node.at.node)
    const before = await packetsInto(node.at.node)
    expect(await walk(from, to, port)).toEqual(expected)
    expect((await ruleHits(node.at.node)).filter((row) => row.startsWith('B') && row !== 'B1')).toEqual(rows)
    const after = await packetsInto(node.at.node)
    // Only the first packet goes through the tunnel. Later packets have the mark of their connection.
    const used = ['istioin', 'istioout'].filter((name) => (after.get(name) ?? 0) > (before.get(name) ?? 0))
    expect(used).toEqual(through)
  })

  test('matches the accept rules of the node', async () => {
    await forgetHits(node.at.node)
    await walk('app', 'srv')
    expect((await ruleHits(node.at.node)).filter((row) => / ztunnel-(?!OUTPUT)/.test(row))).toEqual([
      'mangle ztunnel-FORWARD',
      'nat ztunnel-POSTROUTING',
      'nat ztunnel-PREROUTING',
      'filter ztunnel-FORWARD',
    ])
  })
})

test('ztunnel answers a query of a pod in the mesh on port 15053, and does not answer other queries', async () => {
  expect(await askName(node.at.app, addresses.srv, 20_000)).toBe('no such name')
  expect(await askName(node.at.srv, addresses.far, 500)).toBe('no answer')
})

test('without a ztunnel only probes reach a pod in the mesh, and with the next ztunnel all traffic passes', async () => {
  await ztunnel.stop()
  const dropped = await Promise.all([
    walk('app', 'srv'),
    walk('app', 'far'),
    walk('srv', 'app'),
    walk('far', 'app', 15008),
  ])
  const late = 'no answer within 2 s'
  expect(dropped).toEqual([[late], [late], [late], [late]])
  expect(await walk('node', 'app')).toEqual(['app saw node'])
  expect(await walk('far', 'srv')).toEqual(['srv saw far'])
  ztunnel = startTransparentZtunnel(node.at.zt)
  expect(await walk('app', 'srv')).toEqual(['srv saw app', `outbound app ${addresses.srv}:8080`])
  expect(await side.drift()).toEqual([])
})

/** Number of sent packets by link of a namespace. */
async function packetsInto(node: Netns): Promise<Map<string, number>> {
  const text = (await readFile(node, '/proc/thread-self/net/dev')) ?? ''
  const links = [...text.matchAll(/^\s*(\S+):\s*(.*)$/gm)]
  return new Map(links.map(([, name = '', counts = '']) => [name, Number(counts.trim().split(/\s+/)[9])]))
}

/** Rows of the marking chain, in its order. */
const rows = ['A1', 'A2', 'A3', 'A4', 'B1', 'B2', 'B3', 'B4', 'B5', 'B6', 'B7', 'B8', 'B9', 'B10', 'B11'] as const

/** Resets all counters of the node's rules. */
async function forgetHits(node: Netns): Promise<void> {
  for (const table of ['mangle', 'nat', 'filter']) await netns.exec(node, ['iptables', '-t', table, '-Z'])
}

/** Rules that matched since the last reset: by row in the marking chain, by chain elsewhere. */
async function ruleHits(node: Netns): Promise<string[]> {
  const hits: string[] = []
  for (const table of ['mangle', 'nat', 'filter']) {
    const { stdout } = await netns.exec(node, ['iptables-save', '-c', '-t', table])
    let row = 0
    for (const [, packets, chain = ''] of stdout.matchAll(/^\[(\d+):\d+\] -A (ztunnel-\S+) /gm)) {
      const name = `${table} ${chain}` === 'mangle ztunnel-PREROUTING' ? rows[row++] : `${table} ${chain}`
      if (Number(packets) > 0) hits.push(name ?? '?')
    }
  }
  return hits
}
