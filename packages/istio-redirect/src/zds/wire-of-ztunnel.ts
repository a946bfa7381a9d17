/** The same messages as ztunnel needs them: for what plays ztunnel. */
import { fieldsOf, lengthDelimited, messageIn, numberField, textField, textOf } from '@cni/types/protobuf'
import type { Ack, AddRequest, Hello, WorkloadInfo, ZdsRequest } from './wire.ts'

/** A message of the agent as it was read: one that adds a pod may lack who it is. */
export type ReceivedRequest =
  | Exclude<ZdsRequest, AddRequest>
  | (Omit<AddRequest, 'workload'> & { readonly workload: WorkloadInfo | undefined })

/** What ztunnel says first. */
export const encodeHello = ({ version }: Hello): Uint8Array => numberField(1, version)

/** What ztunnel answers. */
export const encodeAck = ({ error }: Ack): Uint8Array => lengthDelimited(1, textField(1, error))

/** Reads a message of the agent; `undefined` when it says nothing that is known. Throws a {@link ProtobufError}. */
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
  // It has no fields, but shall be a message.
  for (const _ of fieldsOf(bytes));
  return { type: 'snapshotSent' }
}

function textIn(bytes: Uint8Array, number: number): string {
  let text = ''
  for (const field of fieldsOf(bytes)) if (field.number === number) text = textOf(field)
  return text
}
