import { chainIn, type NftChain, type NftTable, ruleIn, tableIn } from '../wire/dumps/records.ts'
import { elementsIn, type NftElement, type NftSet, setIn } from '../wire/dumps/set-records.ts'
import type { Snapshot } from '../wire/dumps/snapshot.ts'
import { type Change, changesOf } from '../wire/events/commits.ts'
import { familyWord } from '../wire/family.ts'
import { decodeFields } from '../wire/fields/fields.ts'
import { NFGENMSG } from '../wire/messages.ts'
import type { Committed } from '../wire/nft.ts'
import { tableFields } from '../wire/objects.ts'
import type { ChainName, SetName, TableName } from '../wire/specs.ts'

/** Record of one finished transaction of this package, for the transaction's rollback. */
export interface TransactionRecord {
  readonly before: Snapshot
  readonly written: Committed
}

/**
 * Net effect of a transaction: created, changed and deleted nf_tables objects. The keys of each map are object keys.
 */
export interface Effect {
  readonly tables: ReadonlyMap<string, NftTable>
  readonly chains: ReadonlyMap<string, NftChain>
  readonly rules: ReadonlyMap<string, ChainName & { readonly handle: bigint }>
  /** Named sets that the transaction created. Anonymous sets of rules are left out. */
  readonly sets: ReadonlyMap<string, NftSet>
  /** Set elements that the transaction added, by the key of their set. */
  readonly elements: ReadonlyMap<string, readonly NftElement[]>
  /** Keys of the objects that the transaction deleted. */
  readonly deleted: ReadonlySet<string>
  readonly deletedElements: ReadonlyMap<string, readonly NftElement[]>
  /** Tables and chains that existed before the transaction and have changed properties now. */
  readonly changed: readonly Changed[]
  /** Kernel handle of each table at the end of the transaction, by the table's key. */
  readonly handles: ReadonlyMap<string, bigint>
}

/** Table or chain before and after a transaction that changed its properties. */
export type Changed =
  | { readonly kind: 'table'; readonly before: NftTable; readonly after: NftTable }
  | { readonly kind: 'chain'; readonly before: NftChain; readonly after: NftChain }

/** Text that identifies a table of the namespace, as a map key. */
export const tableKey = ({ family, table }: TableName): string => `table ${family} ${table}`
/** Text that identifies a chain of the namespace, as a map key. */
export const chainKey = (name: TableName & { readonly chain: string }): string =>
  `${tableKey(name)} chain ${name.chain}`
/** Text that identifies a rule of the namespace, as a map key. */
export const ruleKey = (name: TableName & { readonly handle: bigint }): string =>
  `${tableKey(name)} rule ${name.handle}`
/** Text that identifies a set of the namespace, as a map key. */
export const setKey = (name: SetName): string => `${tableKey(name)} set ${name.set}`
/** Text that identifies an element within its set, as a map key. */
export const elementKey = ({ key, keyEnd, flags }: NftElement): string =>
  [key, keyEnd].map((each) => Buffer.from(each ?? []).toString('hex')).join(' ') + (flags?.join() ?? '')

/** Computes the net effect of a transaction from the changes that the kernel reported. */
export function effectOf({ before, written }: TransactionRecord): Effect {
  const was = objectsIn(before)
  const created = {
    tables: new Map<string, NftTable>(),
    chains: new Map<string, NftChain>(),
    rules: new Map<string, ChainName & { readonly handle: bigint }>(),
    sets: new Map<string, NftSet>(),
  }
  const elements = new Map<string, NftElement[]>()
  const deletedElements = new Map<string, NftElement[]>()
  const deleted = new Set<string>()
  const changed: Changed[] = []
  const handles = new Map([...was.tables].map(([key, { handle }]) => [key, handle]))
  const note = <T>(list: Map<string, T>, key: string, object: T, action: Change['action']): void => {
    if (action === 'add') list.set(key, object)
    else if (!list.delete(key)) deleted.add(key)
  }
  for (const change of changesOf(written)) {
    const { action } = change
    if (change.kind === 'table') {
      const key = tableKey(change.table)
      const known = deleted.has(key) ? undefined : was.tables.get(key)
      if (action === 'add') handles.set(key, change.table.handle)
      if (action === 'add' && known !== undefined) changed.push({ kind: 'table', before: known, after: change.table })
      else note(created.tables, key, change.table, action)
    } else if (change.kind === 'chain') {
      const key = chainKey(change.chain)
      const known = deleted.has(key) ? undefined : was.chains.get(key)
      if (action === 'add' && known !== undefined) changed.push({ kind: 'chain', before: known, after: change.chain })
      else note(created.chains, key, change.chain, action)
    } else if (change.kind === 'rule') note(created.rules, ruleKey(change.rule), change.rule, action)
    else if (change.kind === 'set') {
      const key = setKey(change.set)
      if (isAnonymous(change.set.set)) continue
      const known = deleted.has(key) ? undefined : was.sets.get(key)
      // Newer kernels report an added set even if the set existed before the transaction. Ignores such a report.
      if (action === 'add' && known?.handle === change.set.handle) continue
      note(created.sets, key, change.set, action)
    } else if (change.kind === 'element') {
      const key = setKey(change.set)
      const list = action === 'add' ? elements : deletedElements
      list.set(key, [...(list.get(key) ?? []), ...change.elements])
    }
  }
  for (const [key, list] of elements) {
    const known = created.sets.has(key) ? undefined : was.elements.get(key)
    elements.set(
      key,
      list.filter((each) => !known?.has(elementKey(each))),
    )
  }
  return { ...created, elements, deleted, deletedElements, changed, handles }
}

// internal

function objectsIn({ messages }: Snapshot) {
  const tables = new Map<string, NftTable>()
  const chains = new Map<string, NftChain>()
  const sets = new Map<string, NftSet>()
  const elements = new Map<string, Set<string>>()
  for (const { kind, body } of messages) {
    const family = familyWord(body[0])
    if (family === undefined) continue
    const bytes = Buffer.from(body)
    if (kind === 'table') tables.set(...keyed(tableKey, tableIn(family, bytes)))
    else if (kind === 'chain') chains.set(...keyed(chainKey, chainIn(family, bytes)))
    else if (kind === 'set') sets.set(...keyed(setKey, setIn(family, bytes)))
    else if (kind === 'element') {
      const { set, elements: list } = elementsIn(family, bytes)
      elements.set(setKey(set), new Set([...(elements.get(setKey(set)) ?? []), ...list.map(elementKey)]))
    }
  }
  return { tables, chains, sets, elements }
}

function keyed<T>(keyOf: (object: T) => string, object: T): [string, T] {
  return [keyOf(object), object]
}

/** True for the name of an anonymous set, such as `__set3` or `__map0`. */
export const isAnonymous = (set: string): boolean => /^__(?:set|map)\d+$/.test(set)

/** Key of the object in a snapshot's netlink message. Elements have the key of their set. */
export function keyIn(message: Message): string {
  const { kind, body } = message
  const [family, bytes] = [familyWord(body[0]), Buffer.from(body)]
  if (family === undefined) return ''
  switch (kind) {
    case 'chain':
      return chainKey(chainIn(family, bytes))
    case 'rule':
      return ruleKey(ruleIn(family, bytes))
    case 'set':
      return setKey(setIn(family, bytes))
    case 'element':
      return setKey(elementsIn(family, bytes).set)
    default:
      return tableKeyIn(message)
  }
}

/** Key of the table that a netlink message of a snapshot names. */
export function tableKeyIn({ body }: Message): string {
  const family = familyWord(body[0])
  return family === undefined ? '' : tableKey({ family, ...decodeFields(inTable, Buffer.from(body), NFGENMSG) })
}

const inTable = { table: tableFields.table }
type Message = Snapshot['messages'][number]
