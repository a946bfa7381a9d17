import { type Family, familyNumber } from '../family.ts'
import { type Fields, indexed, writeFields } from '../fields/fields.ts'
import { AttributeWriter } from '../fields/writer.ts'
import { ADD, DELETE, NFNL_MSG_BATCH_BEGIN, NFNL_MSG_BATCH_END, NFNL_SUBSYS_NFTABLES, typeOf } from '../messages.ts'
import { NLM_F_ACK, NLM_F_CREATE, NLM_F_ECHO, NLM_F_EXCL, NLM_F_REPLACE, NLM_F_REQUEST } from '../netlink-flags.ts'
import { invalid } from '../nft-error.ts'
import type { ObjectKind } from '../object-kind.ts'
import { generationFields, type ObjectNames, writeNames } from '../objects.ts'

/** Kind of object that a netlink message of a batch changes, for error texts. */
export interface Subject {
  readonly kind: ObjectKind
  /** Attributes that a netlink message about the object can have. */
  readonly fields: Fields
}

type Write = (writer: AttributeWriter) => void

/** Netlink messages of a batch as bytes. Removes a message again if one of its values is invalid. */
export class BatchMessages {
  readonly #writer = new AttributeWriter(ROOM)
  readonly #flags: number
  /** Kind of object of each message in the batch, in order. */
  readonly subjects: Subject[] = []
  /** True if the batch deletes or replaces objects, whose memory the kernel frees later. */
  frees = false

  constructor(generation: number | undefined, echo: boolean) {
    this.#flags = NLM_F_REQUEST | (echo ? NLM_F_ECHO : 0)
    const at = this.#writer.begin(NFNL_MSG_BATCH_BEGIN, NLM_F_REQUEST, 0, NFNL_SUBSYS_NFTABLES)
    if (generation !== undefined) writeFields(this.#writer, GENERATION, { generation }, 'batch')
    this.#writer.end(at)
  }

  /** Unused id for a set of the batch, far above the ids that callers choose. */
  get nextId(): number {
    return 0x4000_0000 + this.subjects.length
  }

  /** Appends a message that adds an object, or replaces it with `NLM_F_REPLACE`. */
  add(subject: Subject, flags: number, family: Family, write: Write): void {
    this.frees ||= (flags & NLM_F_REPLACE) !== 0
    this.#push(subject, ADD[subject.kind], flags, family, write)
  }

  /** Appends a message that deletes the named objects. `write` adds attributes to the message. */
  delete(
    subject: Subject,
    { family, ...names }: ObjectNames & { readonly family: Family },
    write?: Write,
    message: number = ADD[subject.kind] + DELETE,
  ): void {
    this.frees = true
    this.#push(subject, message, 0, family, (writer) => {
      writeNames(writer, subject.kind, names)
      write?.(writer)
    })
  }

  bytes(commit: boolean): Buffer {
    return this.#writer.take((writer) => {
      if (!commit) return
      writer.end(writer.begin(NFNL_MSG_BATCH_END, NLM_F_REQUEST | NLM_F_ACK, 0, NFNL_SUBSYS_NFTABLES))
    }, 0)
  }

  #push(subject: Subject, message: number, flags: number, family: Family, write: Write): void {
    const number = familyNumber(family)
    if (number === undefined) invalid(`There is no family ${JSON.stringify(family)}`)
    const writer = this.#writer
    const at = writer.begin(typeOf(message), flags | this.#flags, number)
    try {
      write(writer)
    } catch (error) {
      writer.cut(at)
      throw error
    }
    writer.end(at)
    this.subjects.push(subject)
  }
}

/** Initial buffer size for a batch in bytes: room for the rules of a pod. */
const ROOM = 16_384

const GENERATION = indexed({ generation: generationFields.generation })

/** Netlink flags of a message that adds an object. With `exclusive` the kernel refuses an existing object. */
export function adding(options: { readonly exclusive?: boolean | undefined } = {}): number {
  return NLM_F_CREATE | (options.exclusive === true ? NLM_F_EXCL : 0)
}
