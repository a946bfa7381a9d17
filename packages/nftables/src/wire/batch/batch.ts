import {
  NLM_F_ACK,
  NLM_F_APPEND,
  NLM_F_CREATE,
  NLM_F_ECHO,
  NLM_F_EXCL,
  NLM_F_REPLACE,
  NLM_F_REQUEST,
} from '@cni/netns/netlink'
import { writeExpressions } from '../expressions/expression.ts'
import { type Family, familyNumber, hooksOf } from '../family.ts'
import { n32, n64 } from '../fields/codec.ts'
import { type Fields, indexed, may, must, writeFields } from '../fields/fields.ts'
import { AttributeWriter } from '../fields/writer.ts'
import {
  ADD,
  DELETE,
  NFNL_MSG_BATCH_BEGIN,
  NFNL_MSG_BATCH_END,
  NFNL_SUBSYS_NFTABLES,
  NFT_MSG_DESTROYTABLE,
  typeOf,
} from '../messages.ts'
import { invalid } from '../nft-error.ts'
import type { ObjectKind } from '../object-kind.ts'
import { chainFields, generationFields, type ObjectNames, ruleFields, tableFields, writeNames } from '../objects.ts'
import type { BaseChain, ChainName, Note, Place, RuleSpec, TableName } from '../specs.ts'
import { withUserdata } from '../userdata.ts'
import { compatValues } from './compat.ts'

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
  readonly #writer = new AttributeWriter(ROOM)
  readonly #subjects: Subject[] = []
  #deletes = false
  /** That in which alone it is taken. */
  readonly generation: number | undefined
  readonly #flags: number

  constructor({
    generation,
    echo = false,
  }: {
    /** Generation in which the kernel takes the batch. In another one it refuses the batch (`STALE`). */
    readonly generation?: number | undefined
    /** True to have the kernel echo every change of the batch, with handles. See `commit` of {@link Nft}. Default: false. */
    readonly echo?: boolean | undefined
  } = {}) {
    this.generation = generation
    this.#flags = NLM_F_REQUEST | (echo ? NLM_F_ECHO : 0)
    const at = this.#writer.begin(NFNL_MSG_BATCH_BEGIN, NLM_F_REQUEST, 0, NFNL_SUBSYS_NFTABLES)
    if (generation !== undefined) writeFields(this.#writer, GENERATION, { generation }, 'batch')
    this.#writer.end(at)
  }

  /** How many messages there are: none change nothing. */
  get size(): number {
    return this.#subjects.length
  }

  /** Whether something is deleted: then the kernel has something to free afterwards. */
  get deletes(): boolean {
    return this.#deletes
  }

  /** What each message is about. */
  get subjects(): readonly Subject[] {
    return this.#subjects
  }

  /** Adds a table; one that is there keeps what is in it. */
  addTable(
    spec: TableName &
      Note & {
        /** 1: dormant, 2: owned by the socket, and gone with it. Default 0. */
        readonly flags?: number | undefined
      },
    options?: {
      /** Refuse what exists (`EEXIST`). Default: it is left as it is. */
      readonly exclusive?: boolean | undefined
    },
  ): this {
    return this.add(TABLE, adding(options), spec.family, (writer) =>
      writeFields(writer, tableFields, withUserdata(spec, 'table'), 'table'),
    )
  }

  /** Deletes a table with everything in it. */
  deleteTable(name: TableName): this {
    return this.delete(TABLE, name)
  }

  /** The same without an error when it is not there. Linux 6.3 or later. */
  destroyTable(name: TableName): this {
    return this.delete(TABLE, name, undefined, NFT_MSG_DESTROYTABLE)
  }

  /** Adds a chain; of one that is there the policy is set, if one is given. */
  addChain(
    spec: ChainName &
      Note & {
        readonly base?: BaseChain | undefined
        /** What becomes of a packet at the end of a base chain. Default: an existing chain keeps its policy, a new one accepts. */
        readonly policy?: 'accept' | 'drop' | undefined
      },
    options?: { readonly exclusive?: boolean | undefined },
  ): this {
    const { base, family } = spec
    const hook = base === undefined ? 0 : hooksOf(family).indexOf(base.hook)
    if (hook < 0) return invalid(`${family} has no hook ${JSON.stringify(base?.hook)}`)
    const told = base === undefined ? spec : { ...spec, type: base.type, hook: { ...base, hook } }
    return this.add(CHAIN, adding(options), family, (writer) =>
      writeFields(writer, chainFields, withUserdata(told, 'chain'), 'chain'),
    )
  }

  /** Deletes a chain that nothing jumps to, with its rules. */
  deleteChain({ family, table, chain }: ChainName): this {
    return this.delete(CHAIN, { family, table, chain })
  }

  /** Adds a rule at its place; by default behind those that are there. */
  addRule(spec: RuleSpec): this {
    return this.#rule(spec, NLM_F_CREATE, spec.place)
  }

  /** Puts a rule into the place of another, which is deleted. */
  replaceRule(handle: bigint, spec: Omit<RuleSpec, 'place'>): this {
    this.#deletes = true
    return this.#rule(spec, NLM_F_REPLACE, 'first', handle)
  }

  /** Deletes one rule. */
  deleteRule({ family, table, chain, handle }: ChainName & { readonly handle: bigint }): this {
    return this.delete(RULE, { family, table, chain }, (writer) => writeFields(writer, HANDLE, { handle }, 'rule'))
  }

  /** Deletes all rules of a chain, or of all chains of a table. */
  flush({ family, table, chain }: TableName & { readonly chain?: string | undefined }): this {
    return this.delete(RULE, { family, table, chain })
  }

  /** Adds a message that adds something: for what is not a method here, as `addSet`, and what was read as bytes. */
  add(subject: Subject, flags: number, family: Family, write: Write): this {
    return this.#push(subject, ADD[subject.kind], flags, family, write)
  }

  /** Adds a message that deletes what has these names, and what else the function writes. */
  delete(
    subject: Subject,
    { family, ...names }: ObjectNames & { readonly family: Family },
    write?: Write,
    message: number = ADD[subject.kind] + DELETE,
  ): this {
    this.#deletes = true
    return this.#push(subject, message, 0, family, (writer) => {
      writeNames(writer, subject.kind, names)
      write?.(writer)
    })
  }

  /** An id for a set that is free, and those after it: away from those that a caller gives. */
  get nextId(): number {
    return 0x4000_0000 + this.size
  }

  /** The bytes that are sent. Without `commit` the kernel checks everything, and changes nothing. */
  bytes({ commit = true }: { readonly commit?: boolean } = {}): Buffer {
    return this.#writer.take((writer) => {
      if (!commit) return
      writer.end(writer.begin(NFNL_MSG_BATCH_END, NLM_F_REQUEST | NLM_F_ACK, 0, NFNL_SUBSYS_NFTABLES))
    }, 0)
  }

  #rule(spec: Omit<RuleSpec, 'place'>, flags: number, place: Place = 'last', replaced?: bigint): this {
    const { expressions, compat } = spec
    const behind = place === 'last' || (place !== 'first' && ('after' in place || 'afterId' in place))
    return this.add(RULE, flags | (behind ? NLM_F_APPEND : 0), spec.family, (writer) => {
      writeFields(writer, GIVEN, withUserdata(spec, 'rule'), 'rule')
      if (expressions instanceof Uint8Array) writer.bytes(ruleFields.expressions.type, expressions)
      else {
        const at = writer.open(ruleFields.expressions.type)
        writeExpressions(writer, expressions)
        writer.close(at)
      }
      if (compat !== undefined) {
        ruleFields.compat.codec.write(writer, ruleFields.compat.type, compatValues(compat))
      }
      if (replaced !== undefined) writeFields(writer, HANDLE, { handle: replaced }, 'rule')
      if (typeof place === 'object') writeFields(writer, PLACES, place, 'place')
    })
  }

  #push(subject: Subject, message: number, flags: number, family: Family, write: Write): this {
    const number = familyNumber(family)
    if (number === undefined) return invalid(`There is no family ${JSON.stringify(family)}`)
    const writer = this.#writer
    const at = writer.begin(typeOf(message), flags | this.#flags, number)
    try {
      write(writer)
    } catch (error) {
      writer.cut(at)
      throw error
    }
    writer.end(at)
    this.#subjects.push(subject)
    return this
  }
}

/** What a message is about: for the words of a refusal. */
export interface Subject {
  readonly kind: ObjectKind
  /** What it can say. */
  readonly fields: Fields
}

type Write = (writer: AttributeWriter) => void

/** For the rules of a pod. */
const ROOM = 16_384

const TABLE: Subject = { kind: 'table', fields: tableFields }
const CHAIN: Subject = { kind: 'chain', fields: chainFields }
const RULE: Subject = { kind: 'rule', fields: ruleFields }

const GENERATION = indexed({ generation: generationFields.generation })
const { table, chain, userdata, id } = ruleFields
/** Expressions are written for themselves. */
const GIVEN = indexed({ table, chain, userdata, id })
const HANDLE = indexed({ handle: must(ruleFields.handle.type, n64) })
const POSITION = ruleFields.position.type
const POSITION_ID = ruleFields.positionId.type
const PLACES = indexed({
  ...{ before: may(POSITION, n64), after: may(POSITION, n64) },
  ...{ beforeId: may(POSITION_ID, n32), afterId: may(POSITION_ID, n32) },
})

/** The flags of a message that adds something. */
export function adding(options: { readonly exclusive?: boolean | undefined } = {}): number {
  return NLM_F_CREATE | (options.exclusive === true ? NLM_F_EXCL : 0)
}
