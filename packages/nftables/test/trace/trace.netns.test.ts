import { netns, openRtnl } from '@cni/netns'
import { type Chain, type Ruleset, type Statement, trace } from '@cni/nftables/rules'
import { tracePackets } from '@cni/nftables/watch'
import { type BaseChain, Batch } from '@cni/nftables/wire'
import { expect, test } from 'vitest'
import { addRuleset } from '../../src/encode/encode-table.ts'
import { eachPod } from '../each-pod.ts'

const here = eachPod()

const chainOf = (name: string, base: BaseChain | undefined, ...rules: readonly (readonly Statement[])[]): Chain => ({
  ...{ name, rules: rules.map((statements) => ({ statements })) },
  ...(base && { base }),
})
const filter = (priority: number, hook: 'output' | 'postrouting' = 'output') =>
  ({ type: 'filter', hook, priority }) as const
const nat = (priority: number) => ({ type: 'nat', hook: 'output', priority }) as const
const mark = (to: number): readonly Statement[] => [{ kind: 'mark set', to }]
/** A rule that needs connection tracking. Without one the kernel tracks no connections and enters no nat chains. */
const tracked = chainOf('tracked', undefined, [{ kind: 'ct state', value: ['established'] }])
const inet = (...chains: readonly Chain[]): Ruleset => ({ tables: [{ family: 'inet', name: 't', sets: [], chains }] })
const udp: Statement = { kind: 'l4proto', value: 'udp' }

const rows: readonly (readonly [string, Ruleset])[] = [
  ['chains of the same priority', inet(chainOf('a', filter(0), mark(1)), chainOf('b', filter(0), mark(2)))],
  [
    'the kernel runs nat chains at its own priority, not at that of the chain',
    inet(
      tracked,
      chainOf('late', filter(-80), mark(1)),
      chainOf('nat', nat(-50), [{ kind: 'counter' }]),
      chainOf('early', filter(-120), mark(2)),
    ),
  ],
  [
    'only the first translation counts',
    inet(
      chainOf('one', nat(-110), [udp, { kind: 'redirect', port: 10 }]),
      chainOf('two', nat(-90), [udp, { kind: 'redirect', port: 11 }]),
      chainOf('after', filter(0), [udp, { kind: 'udp dport', value: 10 }, { kind: 'counter' }]),
    ),
  ],
  [
    'a nat chain that only accepts does not end the other nat chains',
    inet(tracked, chainOf('one', nat(-110), [{ kind: 'accept' }]), chainOf('two', nat(-90), [{ kind: 'counter' }])),
  ],
  [
    'the connection state is known after conntrack',
    inet(
      chainOf('raw', filter(-300), [{ kind: 'ct state', value: ['new'] }], [{ kind: 'ct state', value: ['invalid'] }]),
      chainOf(
        'mangle',
        filter(-150),
        [{ kind: 'ct state', value: ['new'] }],
        [{ kind: 'ct direction', value: 'original' }],
      ),
    ),
  ],
  [
    'an untracked packet',
    inet(
      chainOf('raw', filter(-300), [{ kind: 'notrack' }]),
      chainOf('mangle', filter(-150), [{ kind: 'ct state', value: ['untracked'] }], [{ kind: 'ct mark', value: 0 }]),
    ),
  ],
  [
    'goto, jump and return',
    inet(
      chainOf('a', undefined, [{ kind: 'goto', chain: 'b' }], mark(9)),
      chainOf('b', undefined, mark(1), [{ kind: 'return' }], mark(8)),
      chainOf(
        'out',
        filter(0),
        [{ kind: 'jump', chain: 'a' }],
        [{ kind: 'mark', value: 1 }, { kind: 'return' }],
        mark(7),
      ),
      chainOf(
        'post',
        filter(0, 'postrouting'),
        [{ kind: 'oifname', value: 'lo' }],
        [{ kind: 'iifname', op: '!=', value: 'x' }],
      ),
    ),
  ],
  [
    'maps, sets, owners, addresses',
    inet(
      chainOf('b', undefined, [{ kind: 'skuid', value: 0 }, { kind: 'counter' }]),
      chainOf(
        'out',
        filter(0),
        [{ kind: 'fib daddr type', value: 'local' }, { kind: 'counter' }],
        [{ kind: 'mark', value: { value: 0, mask: 1 } }, ...mark(4)],
        [{ kind: 'pkttype', value: 'host' }, { kind: 'counter' }],
        [
          {
            kind: 'vmap',
            on: 'mark',
            map: { elements: [{ key: { from: 3, to: 5 }, verdict: { verdict: 'jump', chain: 'b' } }] },
          },
        ],
      ),
    ),
  ],
]

test.each(rows)('trace finds the rules that the kernel reports: %s', async (_, rules) => {
  {
    using rtnl = await openRtnl(here.pod)
    await rtnl.setLinkUp('lo')
  }
  here.nft.commit(addRuleset(new Batch(), rules))
  const { path } = trace(rules, 'udp 127.0.0.1:9 from 127.0.0.1:4711 uid 0 gid 0')
  const expected = path.filter(({ matched }) => matched === true).map(({ chain, rule }) => `${chain}: ${rule}`)
  const only = [{ kind: 'l4proto', value: 'udp' }] as const
  const events = tracePackets(here.pod, { only, signal: AbortSignal.timeout(15_000), interval: 1 })
  const found: string[] = []
  const first = events.next()
  await netns.exec(here.pod, ['bash', '-c', 'echo hello > /dev/udp/127.0.0.1/9 2>&-; true'])
  for (
    let { value } = await first;
    value !== undefined && found.length < expected.length;
    { value } = await events.next()
  ) {
    if (value.step === 'rule') found.push(`${value.chain}: ${value.rule}`)
  }
  await events.return()
  expect(found).toEqual(expected)
  expect(expected.length).toBeGreaterThan(1)
})
