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

/**
 * Reason why a DEL removes nothing from a namespace: no ADD of the attachment is recorded, or the record names another
 * namespace. Returns `undefined` if the record names the given namespace.
 */
export function unrecordedReason(own: RecordedNetns | undefined, netns: Netns): string | undefined {
  if (own === undefined) return 'no ADD of this attachment is recorded'
  return isSame(own.netns, identityOf(netns))
    ? undefined
    : 'the recorded ADD of this attachment was in another namespace'
}

/**
 * Reason why a DEL keeps objects that the attachments in a namespace share: another attachment of the same container is
 * recorded for the namespace. An unreadable record counts as another attachment.
 */
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

/**
 * True for another attachment of the same container. Compares container ids, because a new namespace may reuse the
 * inode number of a removed namespace.
 */
const isOther = (one: AttachmentKey, key: AttachmentKey): boolean =>
  one.containerID === key.containerID && !(one.network === key.network && one.ifName === key.ifName)

const isSame = (one: RecordedNetns['netns'], other: RecordedNetns['netns']): boolean =>
  one.dev === other.dev && one.ino === other.ino
