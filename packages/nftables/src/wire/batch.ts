import {
  encodeMessage,
  NLM_F_ACK,
  NLM_F_APPEND,
  NLM_F_CREATE,
  NLM_F_EXCL,
  NLM_F_REPLACE,
  NLM_F_REQUEST,
} from '@cni/netns/netlink'
import { n32, n64 } from './codec.ts'
import { writeExpressions } from './expression.ts'
import { type Family, familyNumber, hooksOf } from './family.ts'
import { may, must, valueBytes, writeFields } from './fields.ts'
import {
  BATCH_OF_NFTABLES,
  DELETE,
  NFNL_MSG_BATCH_BEGIN,
  NFNL_MSG_BATCH_END,
  NFT_MSG_DESTROYTABLE,
  nfgenmsg,
  typeOf,
} from './messages.ts'
import { invalid } from './nft-error.ts'
import type { ObjectKind } from './object-kind.ts'
import { encodeElement, generationFields, type ObjectNames, objects, writeNames } from './objects.ts'
import type {
  ChainName,
  ChainSpec,
  ElementSpec,
  Note,
  Place,
  RuleName,
  RuleSpec,
  SetName,
  SetSpec,
  TableName,
  TableSpec,
} from './specs.ts'
import { commentUserdata } from './userdata.ts'
import { type AttributeWriter, written } from './writer.ts'

/** How to add something that may be there already. */
export interface AddOptions {
  /** Refuse what exists (`EEXIST`). Default: it is left as it is. */
  readonly exclusive?: boolean | undefined
}

/**
 * Changes to any tables of any families, committed as one: all of them or none. Everything is checked as it is added, and
 * a method that throws has added nothing. Adding is in the order of the kernel's needs: a table before its chains, a chain
 * before the rules that jump to it, a set before its elements and both before rules that look something up.
 *
 * @example
 * const pod = { family: 'inet', table: 'ex' } as const
 * const batch = new Batch()
 *   .addTable(pod)
 *   .addChain({ ...pod, chain: 'output', base: { type: 'filter', hook: 'output', priority: 0 } })
 *   .addRule({ ...pod, chain: 'output', expressions: [{ name: 'counter' }], comment: 'everything' })
 * nft.commit(batch)
 */
export class Batch {
  readonly #begin: Buffer
  readonly #messages: Buffer[] = []

  /**
   * @param options - with `generation` the batch is refused (`STALE`) unless the rules are still those of that
   * generation: whatever was read at it still holds
   */
  constructor({ generation }: { readonly generation?: number | undefined } = {}) {
    this.#begin = encodeMessage({
      ...{ type: NFNL_MSG_BATCH_BEGIN, flags: NLM_F_REQUEST, fixed: BATCH_OF_NFTABLES },
      attributes:
        generation === undefined ? [] : [[generationFields.generation.type, valueBytes(n32, generation, 'generation')]],
    })
  }

  /** How many messages there are: none change nothing. */
  get size(): number {
    return this.#messages.length
  }

  /** Adds a table; one that is there keeps what is in it. */
  addTable(spec: TableSpec, options?: AddOptions): this {
    return this.#add('table', adding(options), spec)
  }

  /** Deletes a table with everything in it. */
  deleteTable({ family, table }: TableName): this {
    return this.#delete('table', family, { table })
  }

  /** The same without an error when it is not there. Linux 6.3 or later. */
  destroyTable({ family, table }: TableName): this {
    return this.#delete('table', family, { table }, undefined, NFT_MSG_DESTROYTABLE)
  }

  /** Adds a chain; of one that is there the policy is set, if one is given. */
  addChain(spec: ChainSpec, options?: AddOptions): this {
    const { base, family } = spec
    const hook = base === undefined ? 0 : hooksOf(family).indexOf(base.hook)
    if (hook < 0) return invalid(`${family} has no hook ${JSON.stringify(base?.hook)}`)
    return this.#add('chain', adding(options), { ...spec, ...(base && { type: base.type, hook: { ...base, hook } }) })
  }

  /** Deletes a chain that nothing jumps to, with its rules. */
  deleteChain({ family, table, chain }: ChainName): this {
    return this.#delete('chain', family, { table, chain })
  }

  /** Adds a rule at its place; by default behind those that are there. */
  addRule(spec: RuleSpec): this {
    return this.#rule(spec, NLM_F_CREATE, spec.place)
  }

  /** Puts a rule into the place of another, which is deleted. */
  replaceRule(handle: bigint, spec: Omit<RuleSpec, 'place'>): this {
    return this.#rule(spec, NLM_F_REPLACE, 'first', handle)
  }

  /** Deletes one rule. */
  deleteRule({ family, table, chain, handle }: RuleName): this {
    return this.#delete('rule', family, { table, chain }, (writer) => writeHandle(writer, handle))
  }

  /** Deletes all rules of a chain, or of all chains of a table. */
  flush({ family, table, chain }: TableName & { readonly chain?: string | undefined }): this {
    return this.#delete('rule', family, { table, chain })
  }

  /** Adds a set or a map. */
  addSet(spec: SetSpec, options?: AddOptions): this {
    const { size, concat } = spec
    const description = (size !== undefined || concat) && { size, concat: concat?.map((length) => ({ length })) }
    // The kernel wants an id of every set.
    return this.#add('set', adding(options), { setId: this.#nextId(), ...spec, ...(description && { description }) })
  }

  /** Deletes a set that no rule looks into. */
  deleteSet({ family, table, set }: SetName): this {
    return this.#delete('set', family, { table, set })
  }

  /** Adds elements to a set; those that are there are left. */
  addElements(set: SetName, elements: readonly ElementSpec[], options?: AddOptions): this {
    for (const list of elementLists(elements)) this.#add('element', adding(options), set, list)
    return this
  }

  /** Deletes elements of a set; without any, all that it has. */
  deleteElements({ family, table, set }: SetName, elements?: readonly ElementSpec[]): this {
    if (elements === undefined) return this.#delete('element', family, { table, set })
    for (const list of elementLists(elements)) this.#delete('element', family, { table, set }, list)
    return this
  }

  /** Adds messages that are encoded already. They are given a number that sets with ids may begin with. */
  addMessages(encode: (firstId: number) => readonly Buffer[]): this {
    for (const message of encode(this.#nextId())) this.#messages.push(message)
    return this
  }

  /** The bytes that are sent. Without `commit` the kernel checks everything, and changes nothing. */
  bytes({ commit = true }: { readonly commit?: boolean } = {}): Buffer {
    const flags = NLM_F_REQUEST | NLM_F_ACK
    const end = encodeMessage({ type: NFNL_MSG_BATCH_END, flags, fixed: BATCH_OF_NFTABLES })
    return Buffer.concat([this.#begin, ...this.#messages, ...(commit ? [end] : [])])
  }

  /** An id that is free, and those after it: away from those that a caller gives. */
  #nextId(): number {
    return 0x4000_0000 + this.#messages.length
  }

  #rule(spec: Omit<RuleSpec, 'place'>, flags: number, place: Place = 'last', replaced?: bigint): this {
    // The expressions are written for themselves.
    const { expressions, compat, ...rest } = spec
    const told = compat && { compat: { protocol: compat.protocol, flags: compat.inverted ? NFT_RULE_COMPAT_F_INV : 0 } }
    const behind = place === 'last' || (place !== 'first' && ('after' in place || 'afterId' in place))
    return this.#add('rule', flags | (behind ? NLM_F_APPEND : 0), { ...rest, ...told }, (writer) => {
      const at = writer.open(EXPRESSIONS)
      writeExpressions(writer, expressions)
      writer.close(at)
      if (replaced !== undefined) writeHandle(writer, replaced)
      if (typeof place === 'object') writeFields(writer, PLACES, place, 'place')
    })
  }

  #add<S extends TableName & Note>(kind: ObjectKind, flags: number, spec: S, more?: Write): this {
    const { comment, userdata } = spec
    if (comment !== undefined && userdata !== undefined) {
      return invalid('A comment and userdata: the one is in the other')
    }
    const noted = comment === undefined ? spec : { ...spec, userdata: commentUserdata(comment, kind) }
    return this.#push(objects[kind].add, flags, spec.family, (writer) => {
      writeFields(writer, objects[kind].fields, noted, kind)
      more?.(writer)
    })
  }

  #delete(
    kind: ObjectKind,
    family: Family,
    names: ObjectNames,
    more?: Write,
    message = objects[kind].add + DELETE,
  ): this {
    return this.#push(message, 0, family, (writer) => {
      writeNames(writer, kind, names)
      more?.(writer)
    })
  }

  #push(message: number, flags: number, family: Family, write: Write): this {
    const number = familyNumber(family)
    if (number === undefined) return invalid(`There is no family ${JSON.stringify(family)}`)
    const fixed = written((writer) => {
      writer.raw(nfgenmsg(number))
      write(writer)
    })
    this.#messages.push(encodeMessage({ type: typeOf(message), flags: flags | NLM_F_REQUEST, fixed }))
    return this
  }
}

type Write = (writer: AttributeWriter) => void

const EXPRESSIONS = objects.rule.fields.expressions.type
const HANDLE = { handle: must(objects.rule.fields.handle.type, n64) }
const POSITION = objects.rule.fields.position.type
const POSITION_ID = objects.rule.fields.positionId.type
const PLACES = {
  ...{ before: may(POSITION, n64), after: may(POSITION, n64) },
  ...{ beforeId: may(POSITION_ID, n32), afterId: may(POSITION_ID, n32) },
}

const NFT_RULE_COMPAT_F_INV = 2

function writeHandle(writer: AttributeWriter, handle: bigint): void {
  writeFields(writer, HANDLE, { handle }, 'rule')
}

function adding(options: AddOptions = {}): number {
  return NLM_F_CREATE | (options.exclusive === true ? NLM_F_EXCL : 0)
}

const MOST_IN_ATTRIBUTE = 0xffff - 4
const ELEMENTS = objects.element.fields.elements.type
const NFTA_LIST_ELEM = 1

/** As many lists as it takes for each to fit into an attribute. */
function elementLists(specs: readonly ElementSpec[]): Write[] {
  const lists: Buffer[][] = []
  let room = 0
  for (const spec of specs) {
    const { comment } = spec
    const bytes = encodeElement(
      comment === undefined ? spec : { ...spec, userdata: commentUserdata(comment, 'element') },
    )
    const size = 4 + ((bytes.length + 3) & ~3)
    if (size > room) {
      lists.push([])
      room = MOST_IN_ATTRIBUTE
    }
    lists.at(-1)?.push(bytes)
    room -= size
  }
  return lists.map((list) => (writer) => {
    const at = writer.open(ELEMENTS)
    for (const element of list) {
      const elementAt = writer.open(NFTA_LIST_ELEM)
      writer.raw(element)
      writer.close(elementAt)
    }
    writer.close(at)
  })
}
