import type { Netns } from '@cni/netns/handle'
import { FRESH_GENERATION } from '../fresh-generation.ts'
import type { AttachmentRecord } from '../state/attachments.ts'
import { openAsWritten } from './open-as-written.ts'

/**
 * Flushes nf_tables if only ADD has ever changed it, so that all tables are ours. Returns `false`, without a change, if
 * the tables have to be read first.
 */
export function flushIfOnlyOurs(netns: Netns, recorded: AttachmentRecord): boolean {
  if (recorded.generation !== FRESH_GENERATION + 1 || !isSame(netns, recorded)) return false
  using tables = openAsWritten(netns, recorded)
  return tables?.flush() ?? false
}

// internal

const isSame = ({ dev, ino }: Netns, { netns }: AttachmentRecord): boolean =>
  Number(dev) === netns.dev && Number(ino) === netns.ino
