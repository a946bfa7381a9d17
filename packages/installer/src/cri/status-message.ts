/**
 * Request and response of CRI's method `Status`, from the protobuf package `runtime.v1`. The decoder skips unused
 * fields.
 */
import { type Field, fieldsOf, messageIn, numberField, ProtobufError, textOf } from '@cni/types/protobuf'

/** A condition of a container runtime, such as `NetworkReady`. */
export interface RuntimeCondition {
  readonly type: string
  readonly status: boolean
  readonly reason: string
  readonly message: string
}

/** Decoded StatusResponse: the answer of a container runtime to CRI's method `Status`. */
export interface StatusMessage {
  readonly conditions: readonly RuntimeCondition[]
  /** Additional data of a verbose StatusResponse. The values are JSON or plain text. */
  readonly info: ReadonlyMap<string, string>
}

/** Encodes a StatusRequest of CRI with `verbose` set. */
export const statusRequest = (): Uint8Array => numberField(1, 1)

/** Decodes a StatusResponse of CRI. Throws {@link ProtobufError}. */
export function decodeStatus(bytes: Uint8Array): StatusMessage {
  const conditions: RuntimeCondition[] = []
  const info = new Map<string, string>()
  for (const field of fieldsOf(bytes)) {
    if (field.number === 1) {
      for (const inner of fieldsOf(messageIn(field))) {
        if (inner.number !== 1) continue
        checkCount(conditions.length, 'conditions')
        conditions.push(readCondition(messageIn(inner)))
      }
    } else if (field.number === 2) {
      checkCount(info.size, 'members of the info')
      info.set(...readEntry(messageIn(field)))
    }
  }
  return { conditions, info }
}

// internal

/**
 * Maximum number of conditions, and of info members, in a StatusResponse. containerd sends 3 conditions and 5 info
 * members.
 */
const MAX_ENTRIES = 100

function checkCount(count: number, what: string): void {
  if (count >= MAX_ENTRIES) throw new ProtobufError(`there are more than ${MAX_ENTRIES} ${what}`)
}

function readCondition(bytes: Uint8Array): RuntimeCondition {
  const condition = { type: '', status: false, reason: '', message: '' }
  for (const field of fieldsOf(bytes)) {
    if (field.number === 1) condition.type = textOf(field)
    else if (field.number === 2) condition.status = flagOf(field)
    else if (field.number === 3) condition.reason = textOf(field)
    else if (field.number === 4) condition.message = textOf(field)
  }
  return condition
}

function readEntry(bytes: Uint8Array): [key: string, value: string] {
  const entry: [string, string] = ['', '']
  for (const field of fieldsOf(bytes)) {
    if (field.number === 1) entry[0] = textOf(field)
    else if (field.number === 2) entry[1] = textOf(field)
  }
  return entry
}

function flagOf({ number, value }: Field): boolean {
  if (typeof value === 'bigint') return value !== 0n
  throw new ProtobufError(`field ${number} is no boolean`)
}
