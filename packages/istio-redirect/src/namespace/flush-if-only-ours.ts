import type { Netns } from '@cni/netns/handle'
import { FRESH_GENERATION } from '../fresh-generation.ts'
import type { AttachmentRecord } from '../state/attachments.ts'
import { openAsWritten } from './open-as-written.ts'

/** Removes all nftables tables of the namespace if only the plugin has changed them. */
export function flushIfOnlyOurs(netns: Netns, recorded: AttachmentRecord): boolean {
  if (recorded.generation !== FRESH_GENERATION + 1 || !isSame(netns, recorded)) return false
  using tables = openAsWritten(netns, recorded)
  return tables?.flush() ?? false
}

// internal

const isSame = ({ dev, ino }: Netns, { netns }: AttachmentRecord): boolean =>
  Number(dev) === netns.dev && Number(ino) === netns.ino
