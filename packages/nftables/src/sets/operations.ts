import { decodeSet } from '../decode/sets.ts'
import { encodeElements, encodeNamedSet } from '../encode/named-set.ts'
import { canonicalSet, keySpans, keyTypes } from '../rules/canonical-set.ts'
import type { NamedSet, SetElement } from '../rules/model.ts'
import { specText } from '../state/keys.ts'
import { type Batch, messagesOf } from '../wire/batch/batch.ts'
import type { NftSet } from '../wire/dumps/set-records.ts'
import { addElements, addSet, deleteElements, deleteSet, elementsOf, setsOf } from '../wire/dumps/sets.ts'
import type { Nft } from '../wire/nft.ts'
import { invalid, NftError } from '../wire/nft-error.ts'
import type { TableName } from '../wire/specs.ts'
import { diffElements } from './element-diff.ts'

/** Netlink socket for reading named sets, and a function that changes them in a transaction. */
export interface Editing {
  readonly nft: Nft
  /** Runs one transaction. Calls `plan` again if another process has changed rules before the commit. */
  edit<T>(plan: (batch: Batch) => T): Promise<T>
}

/** Creates a named set, if the set does not exist. Throws `EXISTS` if it exists with another type. */
export function createSet({ nft, edit }: Editing, table: TableName, spec: NamedSet): Promise<void> {
  const encoded = encodeNamedSet(canonicalSet(spec, table.table))
  const { elements, ...fields } = encoded
  return edit((batch) => {
    const found = find(nft, table, spec)
    if (found !== undefined && specText(found) !== specText(encoded)) {
      throw new NftError('EXISTS', `${nameOf(table, spec)} exists with another type`)
    }
    if (found !== undefined) return
    const name = { ...table, set: spec.name, setId: messagesOf(batch).nextId }
    addSet(batch, { ...fields, ...name })
    if (elements.length > 0) addElements(batch, name, elements)
  })
}

/** Deletes a named set, if the set exists. */
export function destroySet({ nft, edit }: Editing, table: TableName, spec: NamedSet): Promise<void> {
  return edit((batch) => {
    if (find(nft, table, spec) !== undefined) deleteSet(batch, { ...table, set: spec.name })
  })
}

/** Adds elements to a named set. Replaces existing elements that have other data, comment or timeout. */
export async function addTo(
  { nft, edit }: Editing,
  table: TableName,
  spec: NamedSet,
  given: readonly (SetElement | SetElement['key'])[],
): Promise<void> {
  const desired = canonical(table, spec, given)
  if (desired.length === 0) return
  const isPlain = desired.every(
    ({ data, comment, timeout }) => data === undefined && comment === undefined && timeout === undefined,
  )
  return edit((batch) => {
    // Skips the read for plain keys, because the kernel ignores the addition of an existing key.
    const present = isPlain ? [] : presentOf(nft, table, spec)
    const keys = new Set(desired.map(keyText))
    const { missing, unexpected } = diffElements(
      desired,
      present.filter((each) => keys.has(keyText(each))),
    )
    change(batch, table, spec, { missing, unexpected })
  })
}

/** Deletes elements of a named set by their keys. Ignores missing elements. */
export function deleteFrom(
  { nft, edit }: Editing,
  table: TableName,
  spec: NamedSet,
  keys: readonly SetElement['key'][],
): Promise<void> {
  const deleted = new Set(canonical(table, { ...withoutData(spec) }, keys).map(keyText))
  return edit((batch) => {
    const unexpected = presentOf(nft, table, spec).filter((each) => deleted.has(keyText(each)))
    change(batch, table, spec, { missing: [], unexpected })
  })
}

/** Deletes all elements of a named set. */
export function flushSet({ nft, edit }: Editing, table: TableName, spec: NamedSet): Promise<void> {
  return edit((batch) => void deleteElements(batch, { ...table, set: existing(nft, table, spec).set }))
}

/** Reads the elements of a named set, in canonical form. */
export function listOf({ nft }: Editing, table: TableName, spec: NamedSet): Promise<readonly SetElement[]> {
  return nft.read(() => presentOf(nft, table, spec))
}

/** Reads the element with a given key from a named set. */
export async function elementOf(
  editing: Editing,
  table: TableName,
  spec: NamedSet,
  key: SetElement['key'],
): Promise<SetElement | undefined> {
  const [desired] = canonical(table, withoutData(spec), [key])
  const list = await listOf(editing, table, spec)
  return list.find((each) => desired !== undefined && keyText(each) === keyText(desired))
}

/** True if a rule that looks up a key in a named set would find the key. */
export async function finds(
  editing: Editing,
  table: TableName,
  spec: NamedSet,
  key: SetElement['key'],
): Promise<boolean> {
  const types = keyTypes(spec)
  const single = keySpans({ ...spec, interval: true }, types, { key })
  const list = await listOf(editing, table, spec)
  return list.some((element) =>
    keySpans(spec, types, element).every(({ from, to }, at) => {
      const span = single[at]
      return span !== undefined && Buffer.compare(from, span.from) <= 0 && Buffer.compare(span.to, to) <= 0
    }),
  )
}

/** Differences between the elements of a named set in the kernel and the given elements. */
export async function diffOf(
  editing: Editing,
  table: TableName,
  spec: NamedSet,
  elements: readonly (SetElement | SetElement['key'])[],
): Promise<ReturnType<typeof diffElements>> {
  return diffElements(canonical(table, spec, elements), await listOf(editing, table, spec))
}

/** Changes a named set to have exactly the given elements. */
export function replaceElements(
  { nft, edit }: Editing,
  table: TableName,
  spec: NamedSet,
  elements: readonly (SetElement | SetElement['key'])[],
): Promise<'unchanged' | 'replaced'> {
  const desired = canonical(table, spec, elements)
  return edit((batch) => {
    change(batch, table, spec, diffElements(desired, presentOf(nft, table, spec)))
    return batch.size === 0 ? 'unchanged' : 'replaced'
  })
}

// internal

function change(
  batch: Batch,
  table: TableName,
  spec: NamedSet,
  { missing, unexpected }: ReturnType<typeof diffElements>,
): void {
  const name = { ...table, set: spec.name }
  if (unexpected.length > 0) {
    // Keeps the end element at key 0 of an interval set, because the kernel refuses to delete this element.
    const isOwnEnd = (key: Uint8Array | undefined) => key?.some((byte) => byte !== 0) === true
    const specs = encodeElements(spec, unexpected).filter(({ key, flags }) => flags === undefined || isOwnEnd(key))
    deleteElements(
      batch,
      name,
      specs.map(({ comment: _, timeout: __, ...each }) => each),
    )
  }
  if (missing.length > 0) addElements(batch, name, encodeElements(spec, missing))
}

function canonical(
  table: TableName,
  spec: NamedSet,
  elements: readonly (SetElement | SetElement['key'])[],
): readonly SetElement[] {
  const list = elements.map((each): SetElement => (isElement(each) ? each : { key: each }))
  return canonicalSet({ ...spec, elements: list }, table.table).elements ?? []
}

function isElement(each: SetElement | SetElement['key']): each is SetElement {
  return typeof each === 'object' && 'key' in each
}

const withoutData = ({ data: _, ...spec }: NamedSet): NamedSet => spec

const keyText = ({ key }: SetElement) => JSON.stringify(key)

function presentOf(nft: Nft, table: TableName, spec: NamedSet): readonly SetElement[] {
  const set = existing(nft, table, spec)
  const decoded = decodeSet({ set, elements: elementsOf(nft, set) })
  if (decoded?.elements === undefined)
    return invalid(`${nameOf(table, spec)} has content that this package does not model`)
  return canonicalSet(decoded, table.table).elements ?? []
}

function existing(nft: Nft, table: TableName, spec: NamedSet): NftSet {
  const found = find(nft, table, spec)
  if (found === undefined) throw new NftError('NOT_FOUND', `${nameOf(table, spec)} does not exist; create it first`)
  if (specText(found) !== specText(encodeNamedSet({ ...spec, elements: [] }))) {
    throw new NftError('EXISTS', `${nameOf(table, spec)} exists with another type`)
  }
  return found
}

const find = (nft: Nft, table: TableName, { name }: NamedSet) => setsOf(nft, table).find(({ set }) => set === name)

const nameOf = ({ family, table }: TableName, { name }: NamedSet) => `set ${name} of table ${family} ${table}`
