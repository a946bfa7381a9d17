import type { Netns } from '@cni/netns/handle'
import { FRESH_GENERATION } from '../fresh-generation.ts'
import type { AttachmentRecord } from '../state/attachments.ts'
import { openAsWritten } from './open-as-written.ts'

/**
 * Removes all nftables tables of the pod's namespace if only one ADD of the plugin has changed nf_tables there. In this
 * case, all tables belong to the plugin. Returns `false` in any other case. The caller then has to read the tables.
 */
export function flushIfOnlyOurs(netns: Netns, recorded: AttachmentRecord): boolean {
  if (recorded.generation !== FRESH_GENERATION + 1 || !isSame(netns, recorded)) return false
  using tables = openAsWritten(netns, recorded)
  return tables?.flush() ?? false
}

// internal

const isSame = ({ dev, ino }: Netns, { netns }: AttachmentRecord): boolean =>
  Number(dev) === netns.dev && Number(ino) === netns.ino
