import type { Netns } from '@cni/netns/handle'
import type { AttachmentKey } from './attachment-key.ts'
import type { AttachmentStore } from './record-store.ts'

/** A record that says in which namespace its attachment is. */
export interface RecordedNetns {
  /** The namespace of the attachment, as the kernel numbers it: device and inode. */
  readonly netns: {
    /** The device number of the namespace. */
    readonly dev: number
    /** The inode number of the namespace. */
    readonly ino: number
  }
}

/** The numbers of an open namespace. */
export const identityOf = ({ dev, ino }: Netns): RecordedNetns['netns'] => ({ dev: Number(dev), ino: Number(ino) })

/**
 * The reason why a DEL removes nothing from a namespace: there is no record of its ADD, or the record names another
 * namespace. `undefined` when the record names this one.
 */
export function unrecordedReason(own: RecordedNetns | undefined, netns: Netns): string | undefined {
  if (own === undefined) return 'no ADD of this attachment is recorded'
  return isSame(own.netns, identityOf(netns))
    ? undefined
    : 'the recorded ADD of this attachment was in another namespace'
}

/**
 * The reason why a DEL leaves what attachments of a namespace share: another attachment of the same container is recorded
 * there. A record that cannot be read may be that of such an attachment.
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

/** The inode of a dead container's namespace is used again: only records of the same container count. */
const isOther = (one: AttachmentKey, key: AttachmentKey): boolean =>
  one.containerID === key.containerID && !(one.network === key.network && one.ifName === key.ifName)

const isSame = (one: RecordedNetns['netns'], other: RecordedNetns['netns']): boolean =>
  one.dev === other.dev && one.ino === other.ino
