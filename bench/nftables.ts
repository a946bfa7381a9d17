/** Compares our functions `apply` and `verify` for native nftables rules with bare `nft -f` and `nft -j list`. */

import { type Netns, netns } from '@cni/netns'
import { nftables } from '@cni/nftables'
import { chain, nftRuleset, printRuleset, type Ruleset } from '@cni/nftables/rules'
import { inside } from './lib/race/inside.ts'
import { SuiteReport, settings } from './lib/race/suite.ts'

const used = settings({ runs: 10 })
const suite = new SuiteReport('Rules in one table of family inet, each run in a namespace of its own', used)

for (const count of [30, 300, 3000]) {
  const rules = someRules(count)
  const input = printRuleset(rules)
  const applied = (pod: Netns) => nftables(pod).apply(rules)
  await suite.race(
    `apply, ${count} rules`,
    [
      inside('ours', applied),
      { ...inside('nft -f', (pod) => netns.exec(pod, ['nft', '-f', '-'], { input })), reference: true },
    ],
    used.runs,
  )
  await suite.race(
    `verify, ${count} rules`,
    [
      inside('ours', (pod) => nftables(pod).verify(rules), applied),
      {
        ...inside('nft -j list', (pod) => netns.exec(pod, ['nft', '-j', 'list', 'ruleset']), applied),
        reference: true,
      },
    ],
    used.runs,
  )
}
suite.write()

function someRules(count: number): Ruleset {
  return nftRuleset('inet', { ex: { rules: chain } }, (t) =>
    Array.from({ length: count }, (_, i) =>
      t.ex
        .on('rules')
        .ip('daddr', `10.${i >> 8}.${i & 255}.1/32`)
        .tcp('dport', 1 + i)
        .counter()
        .return(),
    ),
  )
}
