import type { BaseChain, NftChain } from '@cni/nftables/wire'
import { isBuiltin, isTable, type Table } from '../rules/model.ts'

/** Hook type, hook and priority with which iptables-nft registers a built-in chain in nf_tables. */
export function baseOf(table: Table, chain: string): BaseChain {
  const type = table === 'nat' ? 'nat' : table === 'mangle' && chain === 'OUTPUT' ? 'route' : 'filter'
  // The nat chains INPUT and POSTROUTING translate source addresses: they run after the chains of all other tables.
  const late = table === 'nat' && (chain === 'INPUT' || chain === 'POSTROUTING')
  return { type, hook: hooks[chain] ?? 'output', priority: late ? 100 : priorities[table] }
}

/**
 * True for another program's chain that only has the name of a built-in chain: its type, hook or priority differs. The
 * kernel calls such a chain for other packets, or never. The output of `iptables-save` omits the chain as well.
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
 * Priorities of the tables' chains in iptables-nft. For `security`, iptables-nft uses 150, unlike the kernel's default
 * of 50. Chains with another priority are refused by iptables-nft.
 */
const priorities: Readonly<Record<Table, number>> = { filter: 0, mangle: -150, nat: -100, raw: -300, security: 150 }
