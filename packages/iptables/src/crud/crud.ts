import type { Where } from '@cni/netns/handle'
import { type Change, changed } from '../apply/change.ts'
import type { Family, Rule, Table } from '../rules/model.ts'
import { type IptablesOptions, workIn } from '../work.ts'
import { hasRule, listChains, listRules } from './listing.ts'
import { runTransaction } from './run-transaction.ts'
import type { Transaction } from './transaction.ts'

/**
 * Methods that read or change single chains and rules of a namespace. Each changing call is a transaction of its own.
 */
export interface Crud {
  createChain(table: Table, chain: string): Promise<Change>
  flushChain(table: Table, chain: string): Promise<Change>
  deleteChain(table: Table, chain: string): Promise<Change>
  renameChain(table: Table, from: string, to: string): Promise<Change>
  appendRule(rule: Rule): Promise<Change>
  insertRule(rule: Rule): Promise<Change>
  ensureRule(rule: Rule): Promise<Change>
  deleteRule(rule: Rule): Promise<Change>
  /** True if the chain contains the rule, in every family of the rule. */
  hasRule(rule: Rule): Promise<boolean>
  /** Lists the chains of a table, first of IPv4, then of IPv6. */
  listChains(table: Table): Promise<
    {
      readonly family: Family
      readonly name: string
      readonly builtin: boolean
      /** Policy of the chain, if it is a built-in chain. */
      readonly policy?: string
      /** Number of rules in the chain. */
      readonly size: number
    }[]
  >
  /** Lists the rules of a chain, first of IPv4, then of IPv6. Empty if the chain does not exist. */
  listRules(
    table: Table,
    chain: string,
  ): Promise<
    {
      readonly family: Family
      /** Position of the rule in its chain, from 1. */
      readonly position: number
      /** Rule as `iptables-save` prints it, without `-A CHAIN`. */
      readonly text: string
      /** Target of the rule, or the chain to which it jumps; `''` if the rule has no target. */
      readonly target: string
    }[]
  >
}

/**
 * Methods that list, read or change single chains and rules. {@link Transaction} documents each change. For several
 * changes at once, use `iptables(where).transaction`. For rules that belong together, apply a ruleset instead.
 *
 * @example
 * ```ts
 * import { crud, ruleBuilders } from '@cni/iptables/crud'
 *
 * const { nat } = ruleBuilders({ nat: ['EX'] })
 * export async function redirect(port: number) {
 *   const { createChain, ensureRule } = crud('host')
 *   await createChain('nat', 'EX')
 *   await ensureRule(nat.on('EX').proto('tcp').redirect(port))
 * }
 * ```
 */
export function crud(where: Where, options: Omit<IptablesOptions, 'print'> = {}): Crud {
  const { context, open } = workIn(where, options)
  const step = async (steps: (t: Transaction) => void) => {
    const { session } = await open()
    return changed(session, context.undo, (journal) => runTransaction(session, journal, steps))
  }
  return {
    createChain: (table, chain) => step((t) => t.createChain(table, chain)),
    flushChain: (table, chain) => step((t) => t.flushChain(table, chain)),
    deleteChain: (table, chain) => step((t) => t.deleteChain(table, chain)),
    renameChain: (table, from, to) => step((t) => t.renameChain(table, from, to)),
    appendRule: (rule) => step((t) => t.appendRule(rule)),
    insertRule: (rule) => step((t) => t.insertRule(rule)),
    ensureRule: (rule) => step((t) => t.ensureRule(rule)),
    deleteRule: (rule) => step((t) => t.deleteRule(rule)),
    hasRule: async (rule) => hasRule((await open()).session, rule),
    listChains: async (table) => listChains((await open()).session, table),
    listRules: async (table, chain) => listRules((await open()).session, table, chain),
  }
}
