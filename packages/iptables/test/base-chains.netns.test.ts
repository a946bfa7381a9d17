import { netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { type Nft, openNft } from '@cni/nftables/wire'
import { expect, test } from 'vitest'
import { iptables } from '../src/iptables.ts'
import { builtinChains, type Rule, type Ruleset, tables } from '../src/rules/model.ts'
import { restoreText } from '../src/text/restore-text.ts'

/** One rule in each built-in chain. */
const everywhere: Ruleset = {
  chains: [],
  rules: tables.flatMap((table) =>
    builtinChains[table].map((chain): Rule => ({ table, chain, matches: [], target: { target: 'ACCEPT' } })),
  ),
}

const basesIn = (nft: Nft) =>
  nft
    .chains()
    .map(({ family, table, chain, base, policy }) => ({ family, table, chain, base, policy }))
    .sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))

test('iptables-nft finds and uses the built-in chains of this package as its own', async () => {
  await using ours = await tempNetns()
  await using theirs = await tempNetns()
  using here = openNft(ours)
  using there = openNft(theirs)
  await iptables(ours, { backend: 'iptables-nft', programs: 'never' }).apply(everywhere)
  for (const [family, program] of [
    ['ipv4', 'ip'],
    ['ipv6', 'ip6'],
  ] as const) {
    await netns.exec(theirs, [`${program}tables-nft-restore`], { input: restoreText(everywhere, family) })
  }
  expect(basesIn(here)).toEqual(basesIn(there))
  for (const table of tables) {
    await netns.exec(ours, ['iptables-nft', '-t', table, '-A', 'OUTPUT', '-j', 'RETURN'])
    const { stdout } = await netns.exec(ours, ['iptables-nft', '-t', table, '-S', 'OUTPUT'])
    expect(stdout).toBe('-P OUTPUT ACCEPT\n-A OUTPUT -j ACCEPT\n-A OUTPUT -j RETURN\n')
  }
})
