import { type Family, familyNumber } from '../family.ts'
import { type Fields, indexed, writeFields } from '../fields/fields.ts'
import { AttributeWriter } from '../fields/writer.ts'
import { ADD, DELETE, NFNL_MSG_BATCH_BEGIN, NFNL_MSG_BATCH_END, NFNL_SUBSYS_NFTABLES, typeOf } from '../messages.ts'
import { NLM_F_ACK, NLM_F_CREATE, NLM_F_ECHO, NLM_F_EXCL, NLM_F_REPLACE, NLM_F_REQUEST } from '../netlink-flags.ts'
import { invalid } from '../nft-error.ts'
import type { ObjectKind } from '../object-kind.ts'
import { generationFields, type ObjectNames, writeNames } from '../objects.ts'

/** Subject of a message, for error texts. */
export interface Subject {
  readonly kind: ObjectKind
  /** Attributes that the message can have. */
  readonly fields: Fields
}

type Write = (writer: AttributeWriter) => void

/** Messages of a batch as bytes. A message with an invalid value is removed again. */
export class BatchMessages {
  readonly #writer = new AttributeWriter(ROOM)
  readonly #flags: number
  /** Subject of each message. */
  readonly subjects: Subject[] = []
  /** True if the batch deletes or replaces objects: the kernel frees them after the commit. */
  frees = false

  constructor(generation: number | undefined, echo: boolean) {
    this.#flags = NLM_F_REQUEST | (echo ? NLM_F_ECHO : 0)
    const at = this.#writer.begin(NFNL_MSG_BATCH_BEGIN, NLM_F_REQUEST, 0, NFNL_SUBSYS_NFTABLES)
    if (generation !== undefined) writeFields(this.#writer, GENERATION, { generation }, 'batch')
    this.#writer.end(at)
  }

  /** A free id for a set, far above the ids that callers choose. */
  get nextId(): number {
    return 0x4000_0000 + this.subjects.length
  }

  /** Adds a message that adds an object, or with `NLM_F_REPLACE` replaces one. */
  add(subject: Subject, flags: number, family: Family, write: Write): void {
    this.frees ||= (flags & NLM_F_REPLACE) !== 0
    this.#push(subject, ADD[subject.kind], flags, family, write)
  }

  /** Adds a message that deletes the objects with these names. `write` adds more attributes. */
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

/** Initial size in bytes: room for the rules of a pod. */
const ROOM = 16_384

const GENERATION = indexed({ generation: generationFields.generation })

/** Flags of a message that adds an object. */
export function adding(options: { readonly exclusive?: boolean | undefined } = {}): number {
  return NLM_F_CREATE | (options.exclusive === true ? NLM_F_EXCL : 0)
}
