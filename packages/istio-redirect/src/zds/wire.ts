/** Messages of ZDS (package istio.workload.zds). Each message is one packet. */
import { fieldsOf, lengthDelimited, messageIn, textField, textOf } from '@cni/types/protobuf'

/** Longest message in bytes that either side reads. */
export const MAX_MESSAGE = 1024

/** Identity of a pod. */
export interface WorkloadInfo {
  readonly name: string
  readonly namespace: string
  readonly serviceAccount: string
}

/**
 * Adds a pod. The descriptor of its network namespace accompanies the message. ztunnel exits if the workload is
 * missing.
 */
export interface AddRequest {
  readonly type: 'add'
  readonly uid: string
  readonly workload: WorkloadInfo
}

/**
 * Keeps a pod whose network namespace the agent does not know. ztunnel keeps the namespace that it has. Allowed in a
 * snapshot only; otherwise ztunnel exits.
 */
export interface KeepRequest {
  readonly type: 'keep'
  readonly uid: string
}

/** Ends the snapshot. ztunnel removes all pods that the snapshot did not contain. ztunnel exits at a second one. */
export interface SnapshotSentRequest {
  readonly type: 'snapshotSent'
}

/** Removes a pod. */
export interface DelRequest {
  readonly type: 'del'
  readonly uid: string
}

/** Message of a snapshot. */
export type SnapshotRequest = AddRequest | KeepRequest

/** Message after the snapshot. */
export type ChangeRequest = AddRequest | DelRequest

/** Message of the agent. */
export type ZdsRequest = SnapshotRequest | ChangeRequest | SnapshotSentRequest

/** First message of ztunnel. */
export interface Hello {
  /** Protocol version. The agent knows 1, and accepts any other. */
  readonly version: number
}

/** ztunnel's answer to a message. */
export interface Ack {
  /** Error text of ztunnel. Empty on success. */
  readonly error: string
}

/** Encodes a message for ztunnel. Does not check {@link MAX_MESSAGE}. */
export function encodeRequest(request: ZdsRequest): Uint8Array {
  switch (request.type) {
    case 'add': {
      const { name, namespace, serviceAccount } = request.workload
      const info = [textField(1, name), textField(2, namespace), textField(3, serviceAccount)]
      return lengthDelimited(1, Buffer.concat([textField(1, request.uid), lengthDelimited(2, Buffer.concat(info))]))
    }
    case 'del':
      // A `DelRequest` has the UID in field 2. `AddRequest` and `KeepRequest` have the UID in field 1.
      return lengthDelimited(2, textField(2, request.uid))
    case 'keep':
      return lengthDelimited(5, textField(1, request.uid))
    case 'snapshotSent':
      return lengthDelimited(3, new Uint8Array())
  }
}

/** Decodes the first message of ztunnel. Throws a {@link ProtobufError}. */
export function decodeHello(bytes: Uint8Array): Hello {
  let version = 0
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === 1 && typeof value === 'bigint') version = Number(BigInt.asIntN(32, value))
  }
  return { version }
}

/** Decodes ztunnel's answer. Returns `undefined` if the message is not an answer. Throws a {@link ProtobufError}. */
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

/** Answer of ztunnel without an error, the most frequent answer. */
const ALL_IS_WELL: Ack = { error: '' }
