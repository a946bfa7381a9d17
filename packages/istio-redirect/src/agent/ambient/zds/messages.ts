import {
  type AddRequest,
  encodeRequest,
  MAX_MESSAGE,
  type SnapshotRequest,
  type WorkloadInfo,
  type ZdsRequest,
} from '../../../zds/wire.ts'

/** Encodes a message to ztunnel, with a cache because every ztunnel gets all pods. */
export const messageFor = (request: ZdsRequest): Uint8Array =>
  request.type === 'add' ? addMessage(request) : encodeRequest(request)

/** Returns the reason why a message about a pod cannot be sent to ztunnel, if any. */
export function problemOf(request: SnapshotRequest): string | undefined {
  if (request.uid === '') return 'it has no UID'
  const { length } = messageFor(request)
  return length > MAX_MESSAGE
    ? `its names need ${length} bytes, more than ztunnel's limit of ${MAX_MESSAGE}`
    : undefined
}

// internal

const cache = new WeakMap<WorkloadInfo, { readonly uid: string; readonly bytes: Uint8Array }>()

function addMessage(request: AddRequest): Uint8Array {
  const { uid, workload } = request
  const cached = cache.get(workload)
  if (cached?.uid === uid) return cached.bytes
  const bytes = encodeRequest(request)
  cache.set(workload, { uid, bytes })
  return bytes
}
