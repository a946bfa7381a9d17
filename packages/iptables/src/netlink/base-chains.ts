import type { BaseChain, NftChain } from '@cni/nftables/wire'
import { isBuiltin, isTable, type Table } from '../rules/model.ts'

/** Chain type, hook and priority with which iptables-nft registers a built-in chain in nf_tables. */
export function baseOf(table: Table, chain: string): BaseChain {
  const type = table === 'nat' ? 'nat' : table === 'mangle' && chain === 'OUTPUT' ? 'route' : 'filter'
  // The nat chains INPUT and POSTROUTING run after the tables mangle and filter, because these chains translate source
  // addresses.
  const late = table === 'nat' && (chain === 'INPUT' || chain === 'POSTROUTING')
  return { type, hook: hooks[chain] ?? 'output', priority: late ? 100 : priorities[table] }
}

/** True for another program's chain with a built-in name. `iptables-save` omits this chain. */
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

/** Priority of each table's chains. iptables-nft refuses built-in chains with other priorities. */
const priorities: Readonly<Record<Table, number>> = { filter: 0, mangle: -150, nat: -100, raw: -300, security: 150 }
