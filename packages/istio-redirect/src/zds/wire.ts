/** Messages of ZDS, the protocol between agent and ztunnel over a unix socket. */
import { fieldsOf, lengthDelimited, messageIn, textField, textOf } from '@cni/types/protobuf'

/** Maximal size in bytes of a message that the agent or ztunnel reads. */
export const MAX_MESSAGE = 1024

/** Name, namespace and service account of a pod. */
export interface WorkloadInfo {
  readonly name: string
  readonly namespace: string
  readonly serviceAccount: string
}

/** Message that adds a pod. The descriptor of the pod's network namespace accompanies the message. */
export interface AddRequest {
  readonly type: 'add'
  readonly uid: string
  readonly workload: WorkloadInfo
}

/** Message that keeps a pod. Only ztunnel knows the pod's network namespace. */
export interface KeepRequest {
  readonly type: 'keep'
  readonly uid: string
}

/** Message that ends the snapshot. ztunnel then removes all pods that the snapshot lacked. */
export interface SnapshotSentRequest {
  readonly type: 'snapshotSent'
}

/** Message that removes a pod. */
export interface DelRequest {
  readonly type: 'del'
  readonly uid: string
}

/** Message that the agent may send to ztunnel during a snapshot. */
export type SnapshotRequest = AddRequest | KeepRequest

/** Message that the agent may send to ztunnel after the snapshot. */
export type ChangeRequest = AddRequest | DelRequest

/** Message of the agent to ztunnel. */
export type ZdsRequest = SnapshotRequest | ChangeRequest | SnapshotSentRequest

/** First message of ztunnel to the agent. */
export interface Hello {
  /** Protocol version of ztunnel. The agent implements version 1, and does not refuse other versions. */
  readonly version: number
}

/** Answer of ztunnel to a message of the agent. */
export interface Ack {
  /** Error text of ztunnel's answer. Empty on success. */
  readonly error: string
}

/** Encodes a message of the agent for ztunnel. Does not check the size limit {@link MAX_MESSAGE}. */
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

/** Decodes the first message of ztunnel to the agent. Throws a {@link ProtobufError}. */
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

/** ztunnel's answer that reports no error. All such answers share one object. */
const ALL_IS_WELL: Ack = { error: '' }
