import {
  type AddRequest,
  encodeRequest,
  MAX_MESSAGE,
  type SnapshotRequest,
  type WorkloadInfo,
  type ZdsRequest,
} from '../../../zds/wire.ts'

/**
 * The bytes of a message. Those that add a pod are kept as long as who it is: they are sent when it comes, and to every
 * ztunnel that connects later.
 */
export const messageFor = (request: ZdsRequest): Uint8Array =>
  request.type === 'add' ? addMessage(request) : encodeRequest(request)

/** Why a message cannot be sent: ztunnel would not read it. */
export function problemOf(request: SnapshotRequest): string | undefined {
  if (request.uid === '') return 'it has no UID'
  const { length } = messageFor(request)
  return length > MAX_MESSAGE ? `${length} bytes of names are more than the ${MAX_MESSAGE} that it reads` : undefined
}

// internal

const kept = new WeakMap<WorkloadInfo, { readonly uid: string; readonly bytes: Uint8Array }>()

function addMessage(request: AddRequest): Uint8Array {
  const { uid, workload } = request
  const known = kept.get(workload)
  if (known?.uid === uid) return known.bytes
  const bytes = encodeRequest(request)
  kept.set(workload, { uid, bytes })
  return bytes
}
