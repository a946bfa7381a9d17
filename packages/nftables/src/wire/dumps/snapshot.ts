import {
  type Attribute,
  be32,
  be64,
  cString,
  decodeAttributes,
  encodeAttributes,
  readBe32,
  readCString,
} from '@cni/netns/netlink'
import { type Batch, messagesOf } from '../batch/batch.ts'
import { compatOf, compatValues } from '../batch/compat.ts'
import { decodeExpressions } from '../expressions/expression.ts'
import { familyNumber, familyWord } from '../family.ts'
import { type Fields, isReadOnly, valueBytes } from '../fields/fields.ts'
import { elementsFields, setFields } from '../fields/set-fields.ts'
import { NFGENMSG } from '../messages.ts'
import { NLM_F_APPEND, NLM_F_CREATE, NLM_F_EXCL } from '../netlink-flags.ts'
import { invalid } from '../nft-error.ts'
import type { ObjectKind } from '../object-kind.ts'
import { chainFields, flowtableFields, objectFields, ruleFields, tableFields } from '../objects.ts'
import type { TableName } from '../specs.ts'
import type { Dumps } from './dumps.ts'
import { setsOf } from './sets.ts'

/** Content of some tables as bytes, including all objects that this package does not model. */
export interface Snapshot {
  /** Kind and bytes of each object, without the message header. The order allows a batch to add the objects again. */
  readonly messages: readonly { readonly kind: Parameters<Dumps['bytes']>[0]; readonly body: Uint8Array }[]
}

/**
 * Reads the content of some tables, or of all tables. All content is of one generation inside `read` or `transact` of
 * {@link Nft}. The parameter `kinds` limits the content to these kinds of objects.
 *
 * @example
 * const before = await nft.read(() => snapshot(nft, [table]))
 * nft.commit(new Batch().deleteTable(table))
 * nft.commit(restore(new Batch(), before))
 */
export function snapshot(
  nft: Dumps,
  tables?: readonly TableName[],
  kinds: readonly Parameters<Dumps['bytes']>[0][] = everyKind,
): Snapshot {
  const selected = (tables ?? nft.tables()).map(({ family, table }) => ({
    family,
    number: familyNumber(family),
    table,
  }))
  const isSelected = (family: unknown, table: string | undefined) =>
    selected.some((each) => (each.family === family || each.number === family) && each.table === table)
  const collect = (kind: ObjectKind) =>
    // Attribute 1 of every nf_tables object is the name of its table.
    (kinds.includes(kind) ? nft.bytes(kind) : []).flatMap((body) => {
      const [, table] = decodeAttributes(body, NFGENMSG).find(([type]) => type === 1) ?? []
      return isSelected(body[0], readCString(table)) ? [{ kind, body }] : []
    })
  const sets = kinds.includes('element') ? setsOf(nft).filter(({ family, table }) => isSelected(family, table)) : []
  return {
    messages: [
      ...(['table', 'chain', 'object', 'flowtable', 'set'] as const).flatMap(collect),
      ...sets.flatMap((set) => nft.bytes('element', set).map((body) => ({ kind: 'element' as const, body }))),
      ...collect('rule'),
    ],
  }
}

const everyKind: readonly ObjectKind[] = ['table', 'chain', 'object', 'flowtable', 'set', 'element', 'rule']

/**
 * Adds the content of a snapshot to a batch. The caller first deletes the snapshot's tables if they exist. The callback
 * `next` can return the handle of an existing rule. The restored rule is placed before that rule. All other rules are
 * placed at the end of their chain.
 */
export function restore(batch: Batch, { messages }: Snapshot, next?: (rule: Uint8Array) => bigint | undefined): Batch {
  const anonymous = new Map<string, number>()
  for (const { kind, body } of messages) {
    addObject(batch, { kind, body: Buffer.from(body), next: kind === 'rule' ? next?.(body) : undefined }, anonymous)
  }
  return batch
}

const fieldsOf: Readonly<Record<ObjectKind, Fields>> = {
  ...{ table: tableFields, chain: chainFields, rule: ruleFields, set: setFields, element: elementsFields },
  ...{ object: objectFields, flowtable: flowtableFields },
}
const ANONYMOUS = 1

interface SavedObject {
  readonly kind: ObjectKind
  readonly body: Buffer
  readonly next: bigint | undefined
}

/** Adds one object of a snapshot to a batch. `anonymous` collects the ids of anonymous sets. */
function addObject(batch: Batch, { kind, body, next }: SavedObject, anonymous: Map<string, number>): void {
  const family = familyWord(body[0])
  if (family === undefined) invalid(`The snapshot has an object of the unknown family ${body[0]}`)
  const fields = fieldsOf[kind]
  const messages = messagesOf(batch)
  const readOnly = Object.values(fields).flatMap((field) => (isReadOnly(field) ? [field.type] : []))
  const attributes = decodeAttributes(body, NFGENMSG).filter(([type]) => !readOnly.includes(type))
  const find = (type: number) => attributes.find(([each]) => each === type)?.[1]
  const of = (set: Buffer | undefined) => `${family} ${readCString(find(1))} ${readCString(set)}`
  const add = (attributes: readonly Attribute[], flags = 0) =>
    messages.add({ kind, fields }, NLM_F_CREATE | flags, family, (writer) => writer.raw(encodeAttributes(attributes)))
  if (kind === 'chain') add(attributes, NLM_F_EXCL)
  else if (kind === 'rule') {
    const rule = newRule(attributes, (set) => anonymous.get(of(set)))
    if (next === undefined) add(rule, NLM_F_APPEND)
    else add([...rule, [ruleFields.position.type, be64(next)]])
  } else if (kind === 'set') {
    const { set, setId, flags } = setFields
    const id = messages.nextId
    const named = ((readBe32(find(flags.type)) ?? 0) & ANONYMOUS) === 0
    if (!named) anonymous.set(of(find(set.type)), id)
    add([...(named ? attributes : withNameTemplate(attributes, set.type)), [setId.type, be32(id)]])
  } else if (kind === 'element') {
    const { set, setId } = elementsFields
    const known = anonymous.get(of(find(set.type)))
    add(known === undefined ? attributes : [...withNameTemplate(attributes, set.type), [setId.type, be32(known)]])
  } else add(attributes)
}

type ReadAttribute = readonly [type: number, value: Buffer]

/** Replaces an anonymous set's number by `%d`, because the kernel chooses a free number. */
function withNameTemplate(attributes: readonly ReadAttribute[], name: number): Attribute[] {
  const template = (value: Buffer) => cString((readCString(value) ?? '').replace(/\d+$/, '%d'))
  return attributes.map(([type, value]) => [type, type === name ? template(value) : value])
}

function newRule(
  attributes: readonly ReadAttribute[],
  idOf: (set: Buffer | undefined) => number | undefined,
): Attribute[] {
  const { expressions, compat } = ruleFields
  const list = attributes.find(([type]) => type === expressions.type)?.[1]
  if (list === undefined) return [...attributes]
  const elements = decodeAttributes(list).map(([type, element]): Attribute => [type, newExpression(element, idOf)])
  const values = compatOf(decodeExpressions(list))
  return [
    ...attributes.map(
      ([type, value]): Attribute => [type, type === expressions.type ? encodeAttributes(elements) : value],
    ),
    ...(values === undefined
      ? []
      : ([[compat.type, valueBytes(compat.codec, compatValues(values), 'compat')]] as const)),
  ]
}

/** Changes an expression of a snapshot's rule into a form that the kernel accepts in a new rule. */
function newExpression(element: Buffer, idOf: (set: Buffer | undefined) => number | undefined): Buffer {
  const parts = decodeAttributes(element)
  const name = readCString(parts.find(([type]) => type === 1)?.[1]) ?? ''
  const data = parts.find(([type]) => type === 2)?.[1]
  const changed = data === undefined ? undefined : newData(name, decodeAttributes(data), idOf)
  if (changed === undefined) return element
  return encodeAttributes(parts.map(([type, value]) => [type, type === 2 ? encodeAttributes(changed) : value]))
}

/** Map from an expression's name to the number of the attribute that holds a set's id. */
const idTypes = new Map([
  ['lookup', 4],
  ['dynset', 2],
])
const EXTHDR_FLAGS = 5
const EXTHDR_SREG = 7

function newData(
  name: string,
  attributes: readonly ReadAttribute[],
  idOf: (set: Buffer | undefined) => number | undefined,
): readonly Attribute[] | undefined {
  // Omits flags of an `exthdr` write, because the kernel refuses them in a new rule.
  if (name === 'exthdr' && attributes.some(([type]) => type === EXTHDR_SREG)) {
    return attributes.filter(([type]) => type !== EXTHDR_FLAGS)
  }
  const idType = idTypes.get(name)
  const id = idType === undefined ? undefined : idOf(attributes.find(([type]) => type === 1)?.[1])
  return idType === undefined || id === undefined ? undefined : [...withNameTemplate(attributes, 1), [idType, be32(id)]]
}
