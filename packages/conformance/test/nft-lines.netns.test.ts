import { netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { expect, test } from 'vitest'
import { difference, takeSnapshot } from '../src/world/snapshot.ts'
import { filters } from '../src/world/tamper.ts'

const BEFORE = `
table inet ex {
  counter hits { packets 3 bytes 4 }
  set nets { type ipv4_addr; flags interval; elements = { 10.0.0.0/8 } }
  set seen { type ipv4_addr; flags dynamic,timeout; timeout 1m; }
  chain in {
    type filter hook output priority 0; policy accept;
    tcp dport { 22, 80 } counter accept
    quota over 1 mbytes drop
    ip daddr 127.0.0.1 counter name hits add @seen { ip daddr } accept
  }
}
`

/** A change by `nft`, and the lines that it adds and removes. */
const changes: readonly (readonly [change: string, added: readonly string[], removed: readonly string[]])[] = [
  ['add table ip6 x', ['nft table ip6 x'], []],
  ['add chain inet ex y', ['nft table inet ex / chain y'], []],
  [
    'add chain inet ex in { policy drop; }',
    ['nft table inet ex / chain in type filter hook output priority 0 policy drop'],
    ['nft table inet ex / chain in type filter hook output priority 0 policy accept'],
  ],
  [
    'add rule inet ex in tcp dport { 22, 81 } counter accept',
    [
      'nft table inet ex / chain in / ' +
        'meta l4proto, cmp eq 06, payload transport offset 2 len 2, in { 0016, 0051 }, counter, accept',
    ],
    [],
  ],
  ['add rule inet ex in quota over 2 mbytes drop', [expect.stringMatching(/chain in \/ quota .*, drop$/)], []],
  [
    'add rule inet ex in meta mark set 7 comment "why"',
    ['nft table inet ex / chain in / load 07000000, meta mark set comment "why"'],
    [],
  ],
  [
    'add element inet ex nets { 192.0.2.0/24 }',
    ['nft table inet ex / set nets / c0000300 intervalEnd', 'nft table inet ex / set nets / c0000200'],
    [],
  ],
  ['add quota inet ex much { over 5 bytes }', ['nft table inet ex / object much type 2'], []],
  ['flush chain inet ex in', [], Array(3).fill(expect.stringMatching(/^nft table inet ex \/ chain in \/ /))],
]

test.each(changes)('%s', async (change, added, removed) => {
  await using pod = await tempNetns()
  await netns.exec(pod, ['nft', '-f', '-'], { input: BEFORE })
  const before = await takeSnapshot(pod)
  await netns.exec(pod, ['nft', change])
  expect(difference(before, await takeSnapshot(pod))).toEqual({ added, removed })
})

test('packets change no line', async () => {
  await using pod = await tempNetns()
  await netns.exec(pod, ['nft', '-f', '-'], { input: BEFORE })
  await netns.exec(pod, ['ip', 'link', 'set', 'lo', 'up'])
  const before = await takeSnapshot(pod)
  await netns.exec(pod, ['bash', '-c', 'echo > /dev/udp/127.0.0.1/9'])
  const { added, removed } = difference(before, await takeSnapshot(pod))
  // The element that a rule added to the set is included.
  expect(removed).toEqual([])
  expect(added).toEqual(['nft table inet ex / set seen / 7f000001'])
})

test('flushing removes tables of any program', async () => {
  await using pod = await tempNetns()
  const before = await takeSnapshot(pod)
  await netns.exec(pod, ['nft', '-f', '-'], { input: BEFORE })
  await netns.exec(pod, ['iptables-nft', '-w', '-t', 'nat', '-A', 'OUTPUT', '-p', 'tcp', '-j', 'REDIRECT'])
  const change = difference(before, await takeSnapshot(pod))
  expect(change.added).toContain(
    'nft table ip nat / chain OUTPUT / meta l4proto, cmp eq 06, counter, target REDIRECT 0 01000000…',
  )
  const [flush, ...others] = filters(change)
  expect([flush?.text, others]).toEqual(['flushed the nftables ruleset', []])
  await flush?.apply(pod)
  expect(difference(before, await takeSnapshot(pod))).toEqual({ added: [], removed: [] })
})
