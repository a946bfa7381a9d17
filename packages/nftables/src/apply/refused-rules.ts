import { attributeMap, decodeMessages, type Message } from '@cni/netns/netlink'
import type { SetRecord } from '../decode/reading.ts'
import { decodeStatements } from '../decode/statements.ts'
import { ruleText } from '../print/rule.ts'
import { setsOf } from '../wire/dumps/sets.ts'
import { decodeExpressions } from '../wire/expressions/expression.ts'
import type { Expression } from '../wire/expressions/expression-types.ts'
import { type Family, familyWord } from '../wire/family.ts'
import { readFields } from '../wire/fields/fields.ts'
import { elementsFields, setFields } from '../wire/fields/set-fields.ts'
import { ADD, messageOfType, NFGENMSG } from '../wire/messages.ts'
import type { Nft } from '../wire/nft.ts'
import { type Fault, NftError } from '../wire/nft-error.ts'
import { ruleFields } from '../wire/objects.ts'
import { sentFor } from '../wire/refusal/refusal.ts'
import { withComment } from '../wire/userdata.ts'

/** Adds the text of each refused rule to the error of a refused batch. */
export function withRules(error: NftError, nft: Nft): NftError {
  const sent = sentFor(error)
  if (sent === undefined) return error
  const messages = decodeMessages(sent)
  const sets = new SentSets(messages, nft)
  let { message } = error
  const faults = error.faults.map((fault): Fault => {
    // Adds 1 because `index` does not count the first message, which only marks the beginning of the batch.
    const refused = messages[fault.index + 1]
    const rule = refused === undefined ? undefined : textOf(refused, sets)
    if (rule === undefined) return fault
    const text = `${fault.text}: ${rule}`
    message = message.replace(fault.text, () => text)
    return { ...fault, text, rule }
  })
  return new NftError(error.code, message, { faults, ...('cause' in error ? { cause: error.cause } : undefined) })
}

// internal

function textOf({ type, body }: Message, sets: SentSets): string | undefined {
  const family = familyWord(body[0])
  const expressions = attributeMap(body, NFGENMSG).get(ruleFields.expressions.type)
  if (messageOfType(type) !== ADD.rule || family === undefined || expressions === undefined) return undefined
  const { table = '', ...values } = readFields(
    { table: ruleFields.table, userdata: ruleFields.userdata },
    body,
    NFGENMSG,
  ).values
  const { comment } = withComment(values, 'rule')
  const named = sets.withUniqueNames(decodeExpressions(expressions))
  const statements = decodeStatements(family, named, sets.of(family, table))
  return ruleText({ statements, ...(comment === undefined ? undefined : { comment }) }, family, { stateless: true })
}

/** Sets that the rules of a refused batch use: new sets of the batch, and sets in the kernel. */
class SentSets {
  readonly #records = new Map<string, Map<string, SetRecord>>()

  constructor(messages: readonly Message[], nft: Nft) {
    for (const { family, table, ...set } of present(nft)) {
      this.#in(family, table).set(set.set, { set: { family, table, ...set }, elements: [] })
    }
    for (const { type, body } of messages) {
      const family = familyWord(body[0])
      if (family === undefined) continue
      const message = messageOfType(type)
      if (message === ADD.set) this.#addSet(family, body)
      else if (message === ADD.element) this.#addElements(family, body)
    }
  }

  of(family: Family, table: string): ReadonlyMap<string, SetRecord> {
    return this.#in(family, table)
  }

  /** Gives each anonymous set in a rule's expressions a unique name. */
  withUniqueNames(expressions: readonly Expression[]): readonly Expression[] {
    return expressions.map((each) => {
      if (each.name !== 'lookup' || each.setId === undefined) return each
      const { setId, ...lookup } = each
      return { ...lookup, set: uniqueName(each.set, setId) }
    })
  }

  #in(family: Family, table: string): Map<string, SetRecord> {
    const key = `${family} ${table}`
    const known = this.#records.get(key) ?? new Map<string, SetRecord>()
    this.#records.set(key, known)
    return known
  }

  #addSet(family: Family, body: Buffer): void {
    const { table, set, setId, keyType, keyLength, flags, dataType } = readFields(setFields, body, NFGENMSG).values
    if (table === undefined || set === undefined || keyType === undefined || keyLength === undefined) return
    const name = uniqueName(set, setId)
    const optional = { ...(flags === undefined ? {} : { flags }), ...(dataType === undefined ? {} : { dataType }) }
    const record = { family, table, set: name, handle: 0n, keyType, keyLength, ...optional }
    this.#in(family, table).set(name, { set: record, elements: [] })
  }

  #addElements(family: Family, body: Buffer): void {
    const { table = '', set = '', setId, elements = [] } = readFields(elementsFields, body, NFGENMSG).values
    const name = uniqueName(set, setId)
    const sets = this.#in(family, table)
    const record = sets.get(name)
    if (record !== undefined) sets.set(name, { ...record, elements: [...record.elements, ...elements] })
  }
}

/** Unique name of a set in a batch, because anonymous sets share patterns such as `__set%d`. */
const uniqueName = (set: string, id: number | undefined): string => (set.includes('%d') ? `${set} ${id}` : set)

function present(nft: Nft) {
  try {
    return setsOf(nft)
  } catch {
    // Ignores the error: the texts of refused rules only lack the sets' elements.
    return []
  }
}
