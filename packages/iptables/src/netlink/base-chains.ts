import type { BaseChain, NftChain } from '@cni/nftables/wire'
import { isBuiltin, isTable, type Table } from '../rules/model.ts'

/** How iptables attaches a built-in chain. */
export function baseOf(table: Table, chain: string): BaseChain {
  const type = table === 'nat' ? 'nat' : table === 'mangle' && chain === 'OUTPUT' ? 'route' : 'filter'
  // Translation of sources comes last.
  const late = table === 'nat' && (chain === 'INPUT' || chain === 'POSTROUTING')
  return { type, hook: hooks[chain] ?? 'output', priority: late ? 100 : priorities[table] }
}

/**
 * A chain of others that only has the name of a built-in one: its rules see other packets than those of iptables, or none.
 * `iptables-save` is silent about it, too.
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

/** That of security is not the kernel's (50): iptables-nft refuses chains that stand elsewhere than its own. */
const priorities: Readonly<Record<Table, number>> = { filter: 0, mangle: -150, nat: -100, raw: -300, security: 150 }
