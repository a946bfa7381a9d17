import type { Netns } from '@cni/netns/handle'
import type { AttachmentKey } from './attachment-key.ts'
import type { AttachmentStore } from './record-store.ts'

/** Record of an attachment's ADD, with the network namespace of the attachment. */
export interface RecordedNetns {
  /** Network namespace of the attachment, identified by device and inode number as in the kernel. */
  readonly netns: {
    /** Device number of the network namespace. */
    readonly dev: number
    /** Inode number of the network namespace. */
    readonly ino: number
  }
}

/** Device and inode number of an open network namespace. */
export const identityOf = ({ dev, ino }: Netns): RecordedNetns['netns'] => ({ dev: Number(dev), ino: Number(ino) })

/** Reason for a DEL to remove nothing: no ADD is recorded for the namespace. */
export function unrecordedReason(own: RecordedNetns | undefined, netns: Netns): string | undefined {
  if (own === undefined) return 'no ADD of this attachment is recorded'
  return isSame(own.netns, identityOf(netns))
    ? undefined
    : 'the recorded ADD of this attachment was in another namespace'
}

/** Reason for a DEL to keep shared objects: the container has another attachment. */
export function sharedReason(
  { stored, unreadable }: ReturnType<AttachmentStore<RecordedNetns>['list']>,
  key: AttachmentKey,
  netns: Netns,
): string | undefined {
  const here = identityOf(netns)
  const other = stored.find(({ key: one, state }) => isOther(one, key) && isSame(state.netns, here))?.key
  if (other !== undefined) return `${other.ifName} of network ${other.network} is attached there as well`
  return unreadable[0]?.message
}

// internal

/** Compares container ids, because a new namespace may reuse the inode number of a removed namespace. */
const isOther = (one: AttachmentKey, key: AttachmentKey): boolean =>
  one.containerID === key.containerID && !(one.network === key.network && one.ifName === key.ifName)

const isSame = (one: RecordedNetns['netns'], other: RecordedNetns['netns']): boolean =>
  one.dev === other.dev && one.ino === other.ino
