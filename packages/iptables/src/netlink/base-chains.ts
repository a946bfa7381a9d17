import type { BaseChain, NftChain } from '@cni/nftables/wire'
import { isBuiltin, isTable, type Table } from '../rules/model.ts'

/** Type, hook and priority with which iptables attaches a built-in chain. */
export function baseOf(table: Table, chain: string): BaseChain {
  const type = table === 'nat' ? 'nat' : table === 'mangle' && chain === 'OUTPUT' ? 'route' : 'filter'
  // Chains that translate source addresses run after the other tables.
  const late = table === 'nat' && (chain === 'INPUT' || chain === 'POSTROUTING')
  return { type, hook: hooks[chain] ?? 'output', priority: late ? 100 : priorities[table] }
}

/**
 * True for a foreign chain that has the name of a built-in chain, but another type, hook or priority. The rules of this
 * chain see other packets, or no packets. `iptables-save` does not print such a chain either.
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
 * The kernel's default priority of `security` is 50. iptables-nft uses 150, and refuses chains with other priorities.
 */
const priorities: Readonly<Record<Table, number>> = { filter: 0, mangle: -150, nat: -100, raw: -300, security: 150 }
