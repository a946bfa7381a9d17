import { FIRST_GENERATION } from '../first-generation.ts'
import type { AttachmentRecord, NetnsIdentity } from './attachments.ts'

/** True if nothing was in nf_tables of the namespace before the first ADD of the recorded attachment. */
export const wasFirst = ({ first, generation }: AttachmentRecord): boolean =>
  first === true || generation === FIRST_GENERATION + 1

/** What a record says of nf_tables after a repeated ADD. */
export function carriedOver(
  before: AttachmentRecord,
  next: AttachmentRecord & { readonly netns: NetnsIdentity },
  { unchanged }: { readonly unchanged: boolean },
): Pick<AttachmentRecord, 'generation' | 'first'> {
  if (before.netns.dev !== next.netns.dev || before.netns.ino !== next.netns.ino) return {}
  // A generation that the kernel has passed meanwhile only makes the next call read the rules.
  const generation = unchanged ? before.generation : next.generation
  return { generation, ...(wasFirst(before) && !wasFirst({ ...next, generation }) && { first: true }) }
}
