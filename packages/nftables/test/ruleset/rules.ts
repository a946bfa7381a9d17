import { base, chain, nftRuleset } from '@cni/nftables/rules'
import type { RulesetWorld } from './world.ts'

export const parts = { output: base('nat', 'output', -100), own: chain, proxy: chain } as const
export const ex = { family: 'inet', table: 'ex' } as const
export const own = { ...ex, chain: 'own' } as const

/** Ruleset that most contract tests of rulesets use. */
export const rules = nftRuleset('inet', { ex: parts }, (t) => [
  t.ex.on('output').counter().jump('own'),
  t.ex.on('own').oifname('lo').ip('daddr').not('127.0.0.1/32').tcp('dport').not([53, 15008]).skuid(1337).return(),
  t.ex.on('own').l4proto('tcp').counter().jump('proxy').comment('all else'),
  t.ex.on('proxy').l4proto('tcp').counter().redirect(15001),
])

/** All tables, chains and rules in the kernel, without numbers that the kernel assigns. */
export function snapshotOf({ nft }: RulesetWorld) {
  return {
    tables: nft.tables().map(({ handle: _, use: __, ...table }) => table),
    chains: nft
      .chains()
      .map(({ handle: _, use: __, ...chain }) => chain)
      .sort(byName),
    rules: nft
      .rules()
      .map(({ chain, expressions, comment }) => ({
        chain,
        comment,
        expressions: expressions.map((each) => (each.name === 'lookup' ? { ...each, set: 'anonymous' } : each)),
      }))
      .sort(byName),
  }
}

const byName = (a: { readonly chain: string }, b: { readonly chain: string }) =>
  a.chain < b.chain ? -1 : a.chain > b.chain ? 1 : 0
