import { spawnSync } from 'node:child_process'
import type { Netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { expect, test, vi } from 'vitest'
import { defaultProbeSource } from '../../../../istio-rules/src/ambient/pod-rules.ts'
import { type NodeProbes, nodeProbes } from '../../../src/agent/ambient/node/node-probes.ts'
import { type ReconcileNodeEvent, reconcileNode } from '../../../src/agent/ambient/node/reconcile-node.ts'
import { inside as run } from '../../stage/inside.ts'

const uid = '55efbedd-5af0-4fb0-b896-61604f0b0b53'
const other = '1b8a6f8e-7a4c-4be0-9d43-1d9a0f5f9d11'
const v4 = 'istio-inpod-probes-v4'
const v6 = 'istio-inpod-probes-v6'

const inside = (node: Netns, ...argv: [string, ...string[]]) => void run(node, argv)

interface Reconciled extends AsyncDisposable {
  readonly node: Netns
  readonly probes: NodeProbes
  readonly events: ReconcileNodeEvent[]
  /** Waits until all rules and sets are as before. */
  whole(): Promise<void>
}

async function reconciled(how: Parameters<typeof nodeProbes>[1]): Promise<Reconciled> {
  const node = await tempNetns()
  const probes = nodeProbes({ ipv6: true, probeSource: defaultProbeSource }, { netns: node, ...how })
  await probes.apply()
  await probes.sets.put(uid, ['10.50.0.15', 'fd50::d'])
  await probes.sets.put(other, ['10.50.0.16'])
  const events: ReconcileNodeEvent[] = []
  const stop = new AbortController()
  const running = reconcileNode(probes, { signal: stop.signal, observe: (event) => events.push(event) })
  return {
    node,
    probes,
    events,
    async whole() {
      const isWhole = async () => {
        expect(await probes.drift()).toEqual([])
        expect(await probes.sets.missing()).toEqual({ sets: [], entries: [] })
      }
      await vi.waitFor(isWhole, { timeout: 15_000, interval: 20 })
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
      await node[Symbol.asyncDispose]()
    },
  }
}

const healed = (events: readonly ReconcileNodeEvent[]) => events.filter(({ type }) => type === 'healed')

const listed = [
  { address: '10.50.0.15', uid },
  { address: '10.50.0.16', uid: other },
  { address: 'fd50::d', uid },
]
const entries = async ({ probes }: Reconciled) =>
  (await probes.sets.list()).toSorted((one, two) => one.address.localeCompare(two.address))

type Loss = readonly [what: string, lose: (node: Netns) => void]

const iptablesLosses = (ipv4: string): readonly Loss[] => {
  const ipv6 = ipv4.replace('ip', 'ip6')
  return [
    ['a deleted jump', (node) => inside(node, ipv4, '-t', 'nat', '-D', 'POSTROUTING', '-j', 'ISTIO_POSTRT')],
    ['a deleted jump of IPv6', (node) => inside(node, ipv6, '-t', 'nat', '-D', 'POSTROUTING', '-j', 'ISTIO_POSTRT')],
    ['a flushed chain', (node) => inside(node, ipv4, '-t', 'nat', '-F', 'ISTIO_POSTRT')],
    ['a flushed table', (node) => inside(node, ipv6, '-t', 'nat', '-F')],
    ['a removed entry', (node) => inside(node, 'ipset', 'del', v4, '10.50.0.15')],
    ['an entry given to another', (node) => inside(node, 'ipset', 'add', v4, '10.50.0.15', 'comment', 'x', '-exist')],
    ['a flushed set', (node) => inside(node, 'ipset', 'flush', v6)],
    ['flushed sets', (node) => inside(node, 'ipset', 'flush')],
    [
      'a destroyed set',
      (node) => {
        inside(node, ipv4, '-t', 'nat', '-F', 'ISTIO_POSTRT')
        // The kernel may free the rule a moment later.
        for (let tries = 0; ; tries++) {
          try {
            return inside(node, 'ipset', 'destroy', v4)
          } catch (error) {
            if (tries > 200) throw error
          }
        }
      },
    ],
  ]
}

const nativeLosses: readonly Loss[] = [
  ['a removed table', (node) => inside(node, 'nft', 'delete table inet istio-ambient-nat')],
  ['a flushed chain', (node) => inside(node, 'nft', 'flush chain inet istio-ambient-nat postrouting')],
  ['a removed entry', (node) => inside(node, 'nft', `delete element inet istio-ambient-nat ${v4} { 10.50.0.15 }`)],
  ['a flushed set', (node) => inside(node, 'nft', `flush set inet istio-ambient-nat ${v6}`)],
  ['a flushed ruleset', (node) => inside(node, 'nft', 'flush ruleset')],
]

const hasNft = spawnSync('nft', ['--version']).status === 0

// Concurrent: each test has a node of its own, and mostly waits.
test.concurrent.for([
  ['iptables-nft', { backend: 'iptables-nft' }, iptablesLosses('iptables-nft')],
  ['iptables-nft by programs', { backend: 'iptables-nft', programs: 'always' }, iptablesLosses('iptables-nft')],
  ['iptables-legacy', { backend: 'iptables-legacy' }, iptablesLosses('iptables-legacy')],
  ...(hasNft ? [['nftables', { native: { kubeletUid: 0 } }, nativeLosses] as const] : []),
] as const)(
  'the rules of a node return after other programs remove them: %s',
  { timeout: 120_000 },
  async ([, how, losses]) => {
    await using at = await reconciled(how)
    for (const [what, lose] of losses) {
      // Damages one part at a time: the agent slows down when it heals many faults at once.
      const before = healed(at.events).length
      lose(at.node)
      await vi.waitFor(() => expect(healed(at.events).length, what).toBeGreaterThan(before), {
        timeout: 40_000,
        interval: 10,
      })
      await at.whole()
      expect(await entries(at), what).toEqual(listed)
    }
    expect(at.events.filter(({ type }) => type === 'failed')).toEqual([])
  },
)

test.concurrent('a pod that left stays out, and a pod that joins while a set is missing is added to the set', async () => {
  await using at = await reconciled({ backend: 'iptables-nft' })
  await at.probes.sets.drop(uid)
  inside(at.node, 'iptables-nft', '-t', 'nat', '-F', 'ISTIO_POSTRT')
  inside(at.node, 'ipset', 'flush', v4)
  await at.whole()
  expect(await entries(at)).toEqual([{ address: '10.50.0.16', uid: other }])
})

test.concurrent('foreign entries in a set stay', async () => {
  await using at = await reconciled({ backend: 'iptables-nft' })
  inside(at.node, 'ipset', 'add', v4, '10.99.0.1', 'comment', 'theirs')
  inside(at.node, 'ipset', 'del', v4, '10.50.0.16')
  await at.whole()
  expect(await entries(at)).toContainEqual({ address: '10.99.0.1', uid: 'theirs' })
})

test.concurrent('repeated removal by another program is reported, and repaired more and more slowly', async () => {
  await using at = await reconciled({ backend: 'iptables-nft' })
  const isContested = () => at.events.some(({ type }) => type === 'contested')
  for (let tries = 0; !isContested() && tries < 50; tries++) {
    const before = at.events.length
    inside(at.node, 'ipset', 'flush', v4)
    await vi.waitFor(() => expect(at.events.length).toBeGreaterThan(before), { timeout: 10_000, interval: 10 })
  }
  const contested = at.events.findIndex(({ type }) => type === 'contested')
  expect(at.events[contested]).toEqual({ type: 'contested', objects: 'host_sets', pauseMs: 1000 })
  expect(healed(at.events.slice(0, contested))).toHaveLength(5)
  await at.whole()
}, 30_000)

test.concurrent('unchanged rules and sets are only read', async () => {
  await using at = await reconciled({ backend: 'iptables-nft' })
  // Foreign changes wake the agent.
  for (let times = 0; times < 5; times++) {
    inside(at.node, 'iptables-nft', '-t', 'nat', '-A', 'POSTROUTING', '-d', `10.9.0.${times}`, '-j', 'ACCEPT')
    inside(at.node, 'ipset', 'create', `theirs-${times}`, 'hash:ip')
  }
  inside(at.node, 'ipset', 'del', v4, '10.50.0.16')
  await vi.waitFor(() => expect(healed(at.events)).toHaveLength(1), { timeout: 10_000 })
  expect(at.events).toEqual([{ type: 'healed', objects: 'host_sets', drift: [`missing 10.50.0.16 of pod ${other}`] }])
})
