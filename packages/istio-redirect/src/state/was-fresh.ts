import { FRESH_GENERATION } from '../fresh-generation.ts'
import type { AttachmentRecord, NetnsIdentity } from './attachments.ts'

/** True if the namespace was fresh before the first ADD of the recorded attachment. */
export const wasFresh = ({ first, generation }: AttachmentRecord): boolean =>
  first === true || generation === FRESH_GENERATION + 1

/** What a record says of nf_tables after a repeated ADD. */
export function carriedOver(
  before: AttachmentRecord,
  next: AttachmentRecord & { readonly netns: NetnsIdentity },
  { unchanged }: { readonly unchanged: boolean },
): Pick<AttachmentRecord, 'generation' | 'first'> {
  if (before.netns.dev !== next.netns.dev || before.netns.ino !== next.netns.ino) return {}
  // A generation that the kernel has passed meanwhile only makes the next call read the rules.
  const generation = unchanged ? before.generation : next.generation
  return { generation, ...(wasFresh(before) && !wasFresh({ ...next, generation }) && { first: true }) }
}
