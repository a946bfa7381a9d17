/** Encodes and decodes messages of the protocol ZDS as ztunnel does, for stand-ins of ztunnel. */
import { fieldsOf, lengthDelimited, messageIn, numberField, textField, textOf } from '@cni/types/protobuf'
import type { Ack, AddRequest, Hello, WorkloadInfo, ZdsRequest } from '../../../zds/wire.ts'

/** Message that ztunnel received from the agent. An `add` message may lack the workload. */
export type ReceivedRequest =
  | Exclude<ZdsRequest, AddRequest>
  | (Omit<AddRequest, 'workload'> & { readonly workload: WorkloadInfo | undefined })

/** Encodes ztunnel's first message to the agent. */
export const encodeHello = ({ version }: Hello): Uint8Array => numberField(1, version)

/** Encodes ztunnel's answer to a message of the agent. */
export const encodeAck = ({ error }: Ack): Uint8Array => lengthDelimited(1, textField(1, error))

/** Decodes a message of the agent to ztunnel. Returns `undefined` if the message has no known field. */
export function decodeRequest(bytes: Uint8Array): ReceivedRequest | undefined {
  let request: ReceivedRequest | undefined
  for (const field of fieldsOf(bytes)) {
    if (field.number === 1) request = readAdd(messageIn(field))
    else if (field.number === 2) request = { type: 'del', uid: textIn(messageIn(field), 2) }
    else if (field.number === 3) request = snapshotSent(messageIn(field))
    else if (field.number === 5) request = { type: 'keep', uid: textIn(messageIn(field), 1) }
  }
  return request
}

// internal

function readAdd(bytes: Uint8Array): ReceivedRequest {
  let workload: WorkloadInfo | undefined
  for (const field of fieldsOf(bytes)) {
    if (field.number !== 2) continue
    const info = messageIn(field)
    workload = { name: textIn(info, 1), namespace: textIn(info, 2), serviceAccount: textIn(info, 3) }
  }
  return { type: 'add', uid: textIn(bytes, 1), workload }
}

function snapshotSent(bytes: Uint8Array): ReceivedRequest {
  // The message `snapshotSent` has no fields, but ztunnel requires that its content is valid protobuf.
  for (const _ of fieldsOf(bytes));
  return { type: 'snapshotSent' }
}

function textIn(bytes: Uint8Array, number: number): string {
  let text = ''
  for (const field of fieldsOf(bytes)) if (field.number === number) text = textOf(field)
  return text
}
