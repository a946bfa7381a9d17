import type { Batch } from '../wire/batch/batch.ts'
import type { NftChain, NftRule, NftTable } from '../wire/dumps/records.ts'
import type { NftElement, NftSet } from '../wire/dumps/set-records.ts'
import { deleteElements, deleteSet, elementsOf, setsOf } from '../wire/dumps/sets.ts'
import type { Nft } from '../wire/nft.ts'
import type { ElementSpec } from '../wire/specs.ts'
import { chainKey, type Effect, elementKey, ruleKey, setKey, tableKey } from './effect.ts'

/** Objects that still exist in the transaction's tables after the rollback has deleted the objects of this package. */
export interface Remaining {
  /** Tables of the namespace that still exist after the rollback, by key. */
  readonly tables: ReadonlyMap<string, NftTable>
  readonly chains: ReadonlyMap<string, NftChain>
  /** Handles of the remaining rules after the rollback, in order, by the chain's key. */
  readonly rules: ReadonlyMap<string, readonly bigint[]>
  readonly sets: ReadonlyMap<string, NftSet>
  readonly elements: ReadonlyMap<string, readonly NftElement[]>
  /** True if the table is missing, or is still the table that the transaction changed. */
  isOurs(key: string): boolean
}

/** Deletes the objects that a transaction created, except objects that other programs use. */
export function removeCreated(batch: Batch, nft: Nft, effect: Effect, inUse: ReadonlySet<string>): Remaining {
  const tables = new Map(nft.tables().map((table) => [tableKey(table), table]))
  const isSame = (key: string) => tables.get(key)?.handle === effect.handles.get(key)
  const remaining: MutableRemaining = {
    tables,
    chains: new Map(),
    rules: new Map(),
    sets: new Map(),
    elements: new Map(),
  }
  for (const [key, table] of tables) {
    if (effect.handles.has(key) && isSame(key)) removeFrom(batch, nft, { table, effect, inUse }, remaining)
  }
  return { ...remaining, isOurs: (key) => !tables.has(key) || isSame(key) }
}

// internal

interface MutableRemaining {
  readonly tables: Map<string, NftTable>
  readonly chains: Map<string, NftChain>
  readonly rules: Map<string, bigint[]>
  readonly sets: Map<string, NftSet>
  readonly elements: Map<string, NftElement[]>
}

interface Removal {
  readonly table: NftTable
  readonly effect: Effect
  readonly inUse: ReadonlySet<string>
}

function removeFrom(batch: Batch, nft: Nft, removal: Removal, remaining: MutableRemaining): void {
  const { table, effect } = removal
  const { family, table: name } = table
  const chains = nft.chains({ family, table: name })
  const rules = nft.rules({ family, table: name })
  const sets = setsOf(nft, { family, table: name })
  const named = sets.filter(({ flags }) => flags?.includes('anonymous') !== true)
  // Deletes rules and elements first, because the kernel keeps sets and chains in use.
  for (const rule of rules) removeRule(batch, rule, effect, remaining)
  const remainingSets = named.filter((set) => !removeSet(batch, nft, set, removal, remaining))
  const remainingChains = chains.filter((chain) => !removeChain(batch, chain, removal, remaining))
  const hasObjects = (table.use ?? 0) > chains.length + sets.length
  if (remainingSets.length > 0 || remainingChains.length > 0 || hasObjects || !effect.tables.has(tableKey(table)))
    return
  batch.deleteTable({ family, table: name })
  remaining.tables.delete(tableKey(table))
}

function removeRule(batch: Batch, rule: NftRule, effect: Effect, remaining: MutableRemaining): void {
  const { family, table, chain, handle } = rule
  if (effect.rules.has(ruleKey(rule))) {
    batch.deleteRule({ family, table, chain, handle })
    return
  }
  const key = chainKey(rule)
  remaining.rules.set(key, [...(remaining.rules.get(key) ?? []), handle])
}

/** Deletes a set, or only the transaction's elements. Returns true if the set is deleted. */
function removeSet(
  batch: Batch,
  nft: Nft,
  set: NftSet,
  { effect, inUse }: Removal,
  remaining: MutableRemaining,
): boolean {
  const key = setKey(set)
  const created = new Set((effect.elements.get(key) ?? []).map(elementKey))
  const isCreated = effect.sets.get(key)?.handle === set.handle
  const needsElements = isCreated || created.size > 0 || effect.deletedElements.has(key)
  const present = needsElements ? elementsOf(nft, set).filter((each) => !isFirstEnd(each)) : []
  const ours = present.filter((each) => created.has(elementKey(each)))
  // Deletes a dynamic set even if it has other elements, because packets have added these elements.
  const isOurs = isCreated && (ours.length === present.length || set.flags?.includes('dynamic') === true)
  if (isOurs && !inUse.has(key)) {
    deleteSet(batch, set)
    return true
  }
  const others = present.filter((each) => !ours.includes(each))
  const specs = ours.map(plain)
  if (specs.length > 0) deleteElements(batch, set, specs)
  remaining.sets.set(key, set)
  remaining.elements.set(key, others)
  return false
}

/** True for an interval set's first end element, which the kernel refuses to delete. */
const isFirstEnd = ({ key, flags }: NftElement): boolean =>
  flags?.includes('intervalEnd') === true && key?.every((byte) => byte === 0) === true

/** Copies a set element for deletion, for which the kernel needs only the key. */
const plain = ({ expiration: _, timeout: __, comment: ___, userdata: ____, ...element }: NftElement): ElementSpec =>
  element

function removeChain(batch: Batch, chain: NftChain, { effect, inUse }: Removal, remaining: MutableRemaining): boolean {
  const key = chainKey(chain)
  const isCreated = effect.chains.get(key)?.handle === chain.handle
  if (isCreated && !remaining.rules.has(key) && !inUse.has(key)) {
    batch.deleteChain(chain)
    return true
  }
  remaining.chains.set(key, chain)
  return false
}
