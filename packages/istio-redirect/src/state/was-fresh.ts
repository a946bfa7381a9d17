import { FRESH_GENERATION } from '../fresh-generation.ts'
import type { AttachmentRecord, NetnsIdentity } from './attachments.ts'

/** True if the namespace was fresh before the first ADD of the recorded attachment. */
export const wasFresh = ({ first, generation }: AttachmentRecord): boolean =>
  first === true || generation === FRESH_GENERATION + 1

/** Members of a record about nf_tables after a repeated ADD. */
export function carriedOver(
  before: AttachmentRecord,
  next: AttachmentRecord & { readonly netns: NetnsIdentity },
  { unchanged }: { readonly unchanged: boolean },
): Pick<AttachmentRecord, 'generation' | 'first'> {
  if (before.netns.dev !== next.netns.dev || before.netns.ino !== next.netns.ino) return {}
  // An outdated generation does no harm: the next call reads the rules instead.
  const generation = unchanged ? before.generation : next.generation
  return { generation, ...(wasFresh(before) && !wasFresh({ ...next, generation }) && { first: true }) }
}
