import type { BaseChain, NftChain } from '@cni/nftables/wire'
import { isBuiltin, isTable, type Table } from '../rules/model.ts'

/** Chain type, hook and priority with which iptables-nft registers a built-in chain in nf_tables. */
export function baseOf(table: Table, chain: string): BaseChain {
  const type = table === 'nat' ? 'nat' : table === 'mangle' && chain === 'OUTPUT' ? 'route' : 'filter'
  // The nat chains INPUT and POSTROUTING translate source addresses, so they run after the tables mangle and filter.
  const late = table === 'nat' && (chain === 'INPUT' || chain === 'POSTROUTING')
  return { type, hook: hooks[chain] ?? 'output', priority: late ? 100 : priorities[table] }
}

/**
 * True if a chain has the name of a built-in chain, but another type, hook or priority. Another program created such a
 * chain. The kernel calls it for other packets than the built-in chain, or never. The output of `iptables-save` omits
 * it.
 */
export function isImpostor({ table, chain, base }: NftChain): boolean {
  if (!isTable(table) || !isBuiltin(table, chain)) return false
  const ours = baseOf(table, chain)
  return base?.type !== ours.type || base.hook !== ours.hook || base.priority !== ours.priority
}

// internal

const hooks: Readonly<Record<string, BaseChain['hook']>> = {
  PREROUTING: 'prerouting',
  INPUT: 'input',
  FORWARD: 'forward',
  OUTPUT: 'output',
  POSTROUTING: 'postrouting',
}

/**
 * Priorities of the tables' chains in iptables-nft. The program uses 150 for `security`, although the kernel's default
 * is 50. The program refuses a chain with another priority than the program's own priority.
 */
const priorities: Readonly<Record<Table, number>> = { filter: 0, mangle: -150, nat: -100, raw: -300, security: 150 }
