/** The messages of ZDS (package istio.workload.zds), each one packet. */
import { fieldsOf, lengthDelimited, messageIn, textField, textOf } from '@cni/types/protobuf'

/** The longest that either side reads. */
export const MAX_MESSAGE = 1024

/** Who a pod is. */
export interface WorkloadInfo {
  readonly name: string
  readonly namespace: string
  readonly serviceAccount: string
}

/** A pod and who it is; its namespace goes with the message. ztunnel ends when it is not told who. */
export interface AddRequest {
  readonly type: 'add'
  readonly uid: string
  readonly workload: WorkloadInfo
}

/** A pod whose namespace is not known here: whoever has it keeps it. Only in a snapshot, or ztunnel ends. */
export interface KeepRequest {
  readonly type: 'keep'
  readonly uid: string
}

/** What was not mentioned is no more. Once, or ztunnel ends. */
export interface SnapshotSentRequest {
  readonly type: 'snapshotSent'
}

/** A pod is gone. */
export interface DelRequest {
  readonly type: 'del'
  readonly uid: string
}

/** What belongs to a snapshot. */
export type SnapshotRequest = AddRequest | KeepRequest

/** What may be said after it. */
export type ChangeRequest = AddRequest | DelRequest

/** What the agent says. */
export type ZdsRequest = SnapshotRequest | ChangeRequest | SnapshotSentRequest

/** What ztunnel says first. */
export interface Hello {
  /** 1; others are nothing that the agent knows of, and no fault. */
  readonly version: number
}

/** What ztunnel says of each message. */
export interface Ack {
  /** Empty: all is well. */
  readonly error: string
}

/** A message for ztunnel. It is not looked at whether ztunnel reads as much. */
export function encodeRequest(request: ZdsRequest): Uint8Array {
  switch (request.type) {
    case 'add': {
      const { name, namespace, serviceAccount } = request.workload
      const info = [textField(1, name), textField(2, namespace), textField(3, serviceAccount)]
      return lengthDelimited(1, Buffer.concat([textField(1, request.uid), lengthDelimited(2, Buffer.concat(info))]))
    }
    case 'del':
      // Not 1, which others have.
      return lengthDelimited(2, textField(2, request.uid))
    case 'keep':
      return lengthDelimited(5, textField(1, request.uid))
    case 'snapshotSent':
      return lengthDelimited(3, new Uint8Array())
  }
}

/** Reads what ztunnel says first. Throws a {@link ProtobufError}. */
export function decodeHello(bytes: Uint8Array): Hello {
  let version = 0
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === 1 && typeof value === 'bigint') version = Number(BigInt.asIntN(32, value))
  }
  return { version }
}

/** Reads what ztunnel answers; `undefined` when it is no ack. Throws a {@link ProtobufError}. */
export function decodeAck(bytes: Uint8Array): Ack | undefined {
  if (bytes.length === 2 && bytes[0] === 0x0a && bytes[1] === 0) return ALL_IS_WELL
  let ack: Ack | undefined
  for (const field of fieldsOf(bytes)) {
    if (field.number !== 1) continue
    let error = ''
    for (const inner of fieldsOf(messageIn(field))) if (inner.number === 1) error = textOf(inner)
    ack = { error }
  }
  return ack
}

// internal

/** Nearly every answer. */
const ALL_IS_WELL: Ack = { error: '' }
