import { invalid } from '../errors.ts'
import { isBuiltin, type Rule, type Table } from '../rules/model.ts'
import { checkInteger } from '../rules/numbers.ts'
import { checkPlace } from '../rules/places.ts'
import type { DraftTables } from './draft-tables.ts'

/**
 * Steps that happen together or not at all. Each says what should be true afterwards, so that a repetition is fine;
 * only `appendRule` and `insertRule` add a rule every time. Chains are those of every family in use.
 */
export interface Transaction {
  /** Creates a chain; one that is there already stays as it is. */
  createChain(table: Table, chain: string): void
  /** Empties a chain; creates it when it is not there. Built-in chains too. */
  flushChain(table: Table, chain: string): void
  /** Deletes a chain with its rules; not being there is fine. Refused while a rule of another chain jumps to it. */
  deleteChain(table: Table, chain: string): void
  /** Renames a chain, and the jumps to it. The new name must be free. */
  renameChain(table: Table, from: string, to: string): void
  /** Adds a rule at the end of its chain. */
  appendRule(rule: Rule): void
  /** Adds a rule where `insert(chain, position)` of the builder said, else first. */
  insertRule(rule: Rule): void
  /** Adds a rule, at the end or where `insert` said, unless the chain has it already, wherever. */
  ensureRule(rule: Rule): void
  /** Deletes the first rule of the chain that means the same; not being there is fine. */
  deleteRule(rule: Rule): void
}

/** One step, done on a family's draft. */
export type Step = (draft: DraftTables) => void

/** Collects steps; nothing runs. What can be checked without the kernel throws here. */
export function collect(fn: (t: Transaction) => unknown): Step[] {
  const steps: Step[] = []
  let closed = false
  const push = (step: Step) => {
    if (closed) invalid('transaction: a step after the function returned would be lost; it must be synchronous')
    steps.push(step)
  }
  const forRule = (rule: Rule, step: Step) => {
    checkPlace(rule.table, rule.chain)
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
      checkPlace(table, chain)
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
        if (draft.get(table, to) !== undefined) invalid(`${draft.family}: ${table} has a chain ${to} already`)
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
    // The step that comes too late rejects it.
    Promise.resolve(returned).catch(() => {})
    invalid('transaction: the function must be synchronous: steps after its first await would be lost')
  }
  return steps
}

/** Where the first rule that means the same stands in its chain, -1 when it does not. */
export function indexOf(draft: DraftTables, rule: Rule): number {
  const { key } = draft.ruleOf(rule)
  return draft.get(rule.table, rule.chain)?.rules.findIndex((each) => each.key === key) ?? -1
}

// internal

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'

function checkOwn(table: Table, chain: string): void {
  checkPlace(table, chain)
  if (isBuiltin(table, chain)) invalid(`${table} ${chain} is built in: it is never created, renamed or deleted`)
}

function add(draft: DraftTables, rule: Rule): void {
  const { table, chain, position } = rule
  const { rules } = draft.need(table, chain)
  const at = position === undefined ? rules.length : checkInteger(position, 1, 0x7fffffff, 'position') - 1
  if (at > rules.length) {
    invalid(`${draft.family}: ${table} ${chain} has ${rules.length} rules, position ${at + 1} is behind its end`)
  }
  draft.set(table, chain, rules.toSpliced(at, 0, draft.ruleOf(rule)))
}
