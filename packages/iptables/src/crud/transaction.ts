import { invalid } from '../errors.ts'
import { checkTableAndChain } from '../rules/check-chains.ts'
import { isBuiltin, type Rule, type Table } from '../rules/model.ts'
import { checkInteger } from '../rules/numbers.ts'
import type { DraftTables } from './draft-tables.ts'

/**
 * Transaction: changes of chains and rules that succeed or fail together. `createChain`, `flushChain`, `deleteChain`
 * and `ensureRule` are idempotent. `appendRule` and `insertRule` add a rule at every call.
 */
export interface Transaction {
  /** Creates a chain. An existing chain stays unchanged. */
  createChain(table: Table, chain: string): void
  /** Empties a chain, which may be a built-in chain. Creates the chain if it is missing. */
  flushChain(table: Table, chain: string): void
  /**
   * Deletes a chain with its rules. A missing chain is not an error. Throws while a rule of another chain jumps to the
   * chain.
   */
  deleteChain(table: Table, chain: string): void
  /** Renames a chain, and changes all jumps to the chain. Throws if another chain already has the new name. */
  renameChain(table: Table, from: string, to: string): void
  /** Appends a rule to its chain. */
  appendRule(rule: Rule): void
  /**
   * Inserts a rule at the position that its builder got from `insert(chain, position)`. Default: first in the chain.
   */
  insertRule(rule: Rule): void
  /** Adds a rule at the end, or at its `insert` position, unless the chain already contains an equal rule. */
  ensureRule(rule: Rule): void
  /** Deletes the first rule of the chain that equals the given rule. A missing rule is not an error. */
  deleteRule(rule: Rule): void
}

/** Function that runs one step of a transaction on an in-memory copy of a family's tables. */
export type Step = (draft: DraftTables) => void

/**
 * Records a transaction's steps without running them. Validates the arguments, except for checks that need the kernel.
 */
export function collect(fn: (t: Transaction) => unknown): Step[] {
  const steps: Step[] = []
  let closed = false
  const push = (step: Step) => {
    if (closed) invalid('transaction: a step after the function returned would be lost; it must be synchronous')
    steps.push(step)
  }
  const forRule = (rule: Rule, step: Step) => {
    checkTableAndChain(rule.table, rule.chain)
    push((draft) => {
      if (rule.family === undefined || rule.family === draft.family) step(draft)
    })
  }
  const returned: unknown = fn({
    createChain(table, chain) {
      checkOwn(table, chain)
      push((draft) => draft.get(table, chain) ?? draft.set(table, chain, []))
    },
    flushChain(table, chain) {
      checkTableAndChain(table, chain)
      push((draft) => draft.set(table, chain, []))
    },
    deleteChain(table, chain) {
      checkOwn(table, chain)
      push((draft) => draft.delete(table, chain))
    },
    renameChain(table, from, to) {
      checkOwn(table, from)
      checkOwn(table, to)
      push((draft) => {
        const { rules } = draft.need(table, from)
        if (draft.get(table, to) !== undefined) invalid(`${draft.family}: ${table} already has a chain ${to}`)
        draft.set(table, to, rules)
        draft.delete(table, from)
        draft.redirectJumps(table, from, to)
      })
    },
    appendRule(rule) {
      if (rule.position !== undefined) invalid(`appendRule: the rule was made by insert(); give it to insertRule`)
      forRule(rule, (draft) => add(draft, rule))
    },
    insertRule(rule) {
      forRule(rule, (draft) => add(draft, { ...rule, position: rule.position ?? 1 }))
    },
    ensureRule(rule) {
      forRule(rule, (draft) => {
        if (indexOf(draft, rule) === -1) add(draft, rule)
      })
    },
    deleteRule(rule) {
      forRule(rule, (draft) => {
        const index = indexOf(draft, rule)
        if (index !== -1)
          draft.set(rule.table, rule.chain, draft.need(rule.table, rule.chain).rules.toSpliced(index, 1))
      })
    },
  })
  closed = true
  if (isThenable(returned)) {
    // Prevents an unhandled rejection, because the promise of an `async` callback may reject.
    Promise.resolve(returned).catch(() => {})
    invalid('transaction: the function must be synchronous: steps after its first await would be lost')
  }
  return steps
}

/** Index of the first rule in the chain that equals the given rule, or -1. */
export function indexOf(draft: DraftTables, rule: Rule): number {
  const { key } = draft.ruleOf(rule)
  return draft.get(rule.table, rule.chain)?.rules.findIndex((each) => each.key === key) ?? -1
}

// internal

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'

function checkOwn(table: Table, chain: string): void {
  checkTableAndChain(table, chain)
  if (isBuiltin(table, chain)) invalid(`${table} ${chain} is built in: it is never created, renamed or deleted`)
}

function add(draft: DraftTables, rule: Rule): void {
  const { table, chain, position } = rule
  const { rules } = draft.need(table, chain)
  const at = position === undefined ? rules.length : checkInteger(position, 1, 0x7fffffff, 'position') - 1
  if (at > rules.length) {
    invalid(`${draft.family}: ${table} ${chain} has ${rules.length} rules, position ${at + 1} is beyond its end`)
  }
  draft.set(table, chain, rules.toSpliced(at, 0, draft.ruleOf(rule)))
}
