import { type Batch, messagesOf } from '../batch/batch.ts'
import { adding, type Subject } from '../batch/batch-messages.ts'
import { writeFields } from '../fields/fields.ts'
import { elementFields, elementsFields, setFields } from '../fields/set-fields.ts'
import { type AttributeWriter, written } from '../fields/writer.ts'
import { invalid } from '../nft-error.ts'
import type { ElementSpec, SetName, SetSpec } from '../specs.ts'
import { withUserdata } from '../userdata.ts'
import type { Dumps } from './dumps.ts'
import { decodeAll } from './records.ts'
import { elementsIn, type NftElement, type NftSet, setIn } from './set-records.ts'

const SET: Subject = { kind: 'set', fields: setFields }
const ELEMENT: Subject = { kind: 'element', fields: elementsFields }

/**
 * Adds a set or a map to a batch.
 *
 * @example
 * const ports = { family: 'inet', table: 'ex', set: 'ports' } as const
 * addSet(batch, { ...ports, keyType: 13, keyLength: 2 })
 * addElements(batch, ports, [{ key: be16(80) }, { key: be16(443) }])
 */
export function addSet(batch: Batch, spec: SetSpec, options?: { readonly exclusive?: boolean | undefined }): Batch {
  const { size, concat } = spec
  const description = (size !== undefined || concat) && { size, concat: concat?.map((length) => ({ length })) }
  // Adds an unused id if the caller gives none, because the kernel requires an id for every new set.
  const given = { setId: messagesOf(batch).nextId, ...spec, ...(description && { description }) }
  messagesOf(batch).add(SET, adding(options), spec.family, (writer) =>
    writeFields(writer, setFields, withUserdata(given, 'set'), 'set'),
  )
  return batch
}

/** Adds the deletion of a set to a batch. The kernel refuses the deletion if a rule uses the set. */
export function deleteSet(batch: Batch, { family, table, set }: SetName): Batch {
  messagesOf(batch).delete(SET, { family, table, set })
  return batch
}

/** Adds set elements to a batch. Existing elements of the set stay unchanged. */
export function addElements(
  batch: Batch,
  set: SetName,
  elements: readonly ElementSpec[],
  options?: { readonly exclusive?: boolean | undefined },
): Batch {
  for (const list of elementLists(elements)) {
    messagesOf(batch).add(ELEMENT, adding(options), set.family, (writer) => {
      writeFields(writer, elementsFields, set, 'element')
      list(writer)
    })
  }
  return batch
}

/** Adds the deletion of set elements to a batch. Without `elements`, all elements of the set are deleted. */
export function deleteElements(
  batch: Batch,
  { family, table, set }: SetName,
  elements?: readonly ElementSpec[],
): Batch {
  const name = { family, table, set }
  if (elements === undefined) messagesOf(batch).delete(ELEMENT, name)
  else for (const list of elementLists(elements)) messagesOf(batch).delete(ELEMENT, name, list)
  return batch
}

/** Reads sets and maps from the kernel. Throws the errors of {@link Dumps}. */
export function setsOf(
  nft: Pick<Dumps, 'bytes'>,
  { family, table }: NonNullable<Parameters<Dumps['chains']>[0]> = {},
): NftSet[] {
  // Lists the family's sets, because a list request for a missing table would fail.
  return decodeAll(nft.bytes('set', { family }), setIn).filter((set) => table === undefined || set.table === table)
}

/**
 * Reads the elements of a set from the kernel, in arbitrary order. Throws `NftError('NOT_FOUND')` if the set does not
 * exist. In an interval set, an interval's end element comes before its start element.
 */
export function elementsOf(nft: Pick<Dumps, 'bytes'>, set: SetName): NftElement[] {
  return decodeAll(nft.bytes('element', set), elementsIn).flatMap(({ elements }) => elements)
}

const MAX_ATTRIBUTE_BYTES = 0xffff - 4
const NFTA_LIST_ELEM = 1

/** Splits set elements into lists that each fit into one netlink attribute. */
function elementLists(specs: readonly ElementSpec[]): ((writer: AttributeWriter) => void)[] {
  const lists: Buffer[][] = []
  let room = 0
  for (const spec of specs) {
    const bytes = written((writer) => writeElement(writer, spec))
    if (bytes.length > room) {
      lists.push([])
      room = MAX_ATTRIBUTE_BYTES
    }
    lists.at(-1)?.push(bytes)
    room -= bytes.length
  }
  return lists.map((list) => (writer) => {
    const at = writer.open(elementsFields.elements.type)
    for (const element of list) writer.raw(element)
    writer.close(at)
  })
}

function writeElement(writer: AttributeWriter, spec: ElementSpec): void {
  const catchAll = spec.flags?.includes('catchAll') ?? false
  if ((spec.key === undefined) !== catchAll) invalid('An element needs either a key or the flag catchAll')
  const at = writer.open(NFTA_LIST_ELEM)
  writeFields(writer, elementFields, withUserdata(spec, 'element'), 'element')
  writer.close(at)
}
