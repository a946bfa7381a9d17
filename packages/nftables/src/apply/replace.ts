import { addChain, addNamedSet, addRules, addRuleset, addTable, nameOf } from '../encode/encode-table.ts'
import { encodeNamedSet } from '../encode/named-set.ts'
import type { Ruleset, Table } from '../rules/model.ts'
import {
  type ChainState,
  hasSameRules,
  isSame,
  isSameSet,
  type SetState,
  type TableState,
  tableStates,
} from '../state/table-state.ts'
import type { Batch } from '../wire/batch/batch.ts'
import { addElements, deleteElements, deleteSet } from '../wire/dumps/sets.ts'
import { snapshot } from '../wire/dumps/snapshot.ts'
import type { Nft } from '../wire/nft.ts'
import type { RetryOptions } from '../wire/retry.ts'
import type { TableName } from '../wire/specs.ts'
import { present } from './present.ts'
import type { Plan } from './report.ts'
import type { Rollback } from './work.ts'

/** Tables that `apply` writes, and tables that it deletes. */
export interface DesiredTables {
  readonly rules: Ruleset
  readonly absent: readonly TableName[]
}

/** Makes the kernel's tables equal to the ruleset by writing only the differences. */
export function replaceRuleset(
  nft: Nft,
  { rules, absent }: DesiredTables,
  rollback: Rollback,
  options: RetryOptions,
): Promise<Plan> {
  const plan = (batch: Batch) => {
    const obsolete = present(nft, absent)
    for (const name of obsolete) batch.deleteTable(name)
    const found = [...obsolete, ...writeDifference(batch, nft, rules.tables)]
    if (batch.size === 0) return 'unchanged'
    rollback.begin(snapshot(nft, found))
    return found.length === 0 ? 'fresh' : 'replace'
  }
  return nft.transact(plan, { ...options, onCommit: rollback.committed })
}

/** Adds the changes for the given tables to the batch. Returns the names of tables that exist already. */
export function writeDifference(batch: Batch, nft: Nft, tables: readonly Table[]): TableName[] {
  const states = tableStates(nft, tables)
  for (const state of states) if (!isSame(state)) writeTable(batch, state)
  return states.filter(({ present }) => present !== undefined).map(({ table }) => nameOf(table))
}

// internal

function writeTable(batch: Batch, state: TableState): void {
  const { table, present, stays, dormant } = state
  if (present === undefined || !stays) {
    if (present !== undefined) batch.deleteTable(nameOf(table))
    addRuleset(batch, { tables: [table] })
    return
  }
  if (dormant) addTable(batch, table)
  // Rewrites all rules of the table, because an unchanged rule may refer to the old chain or set.
  const isRebuilt = [...state.chains, ...state.sets].some(
    ({ present: found, stays: same }) => found !== undefined && !same,
  )
  const rewritten = state.chains.filter((chain) => isRebuilt || !hasSameRules(chain))
  remove(batch, state, rewritten)
  for (const chain of state.chains) {
    if (chain.desired !== undefined && !(chain.present !== undefined && chain.stays && chain.samePolicy)) {
      addChain(batch, table, chain.desired)
    }
  }
  for (const set of state.sets) addSetOf(batch, state, set)
  for (const { desired } of rewritten) if (desired !== undefined) addRules(batch, table, desired)
}

/** Deletes rules first, because they may refer to a chain or set. */
function remove(batch: Batch, { table, chains, sets }: TableState, rewritten: readonly ChainState[]): void {
  const name = nameOf(table)
  for (const chain of rewritten) {
    if (chain.present !== undefined && chain.presentRules.length > 0) batch.flush({ ...name, chain: chain.name })
  }
  for (const set of sets) {
    if (set.present === undefined) continue
    if (!set.stays) deleteSet(batch, { ...name, set: set.name })
    else if (!isSameSet(set)) deleteElements(batch, { ...name, set: set.name })
  }
  for (const chain of chains) {
    if (chain.present !== undefined && !chain.stays) batch.deleteChain({ ...name, chain: chain.name })
  }
}

function addSetOf(batch: Batch, { table }: TableState, set: SetState): void {
  const { desired, present, stays } = set
  if (desired === undefined) return
  if (present === undefined || !stays) addNamedSet(batch, table, desired)
  else if (!isSameSet(set)) addElements(batch, { ...nameOf(table), set: set.name }, encodeNamedSet(desired).elements)
}
