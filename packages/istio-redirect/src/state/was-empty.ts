import { INITIAL_GENERATION } from '../initial-generation.ts'
import type { AttachmentRecord, NetnsIdentity } from './attachments.ts'

/** True if the pod's namespace had no rules before the first ADD of the recorded attachment. */
export const wasEmpty = ({ first, generation }: AttachmentRecord): boolean =>
  first === true || generation === INITIAL_GENERATION + 1

/**
 * Returns the members `generation` and `first` for the record of a repeated ADD, from the attachment's earlier record.
 */
export function carriedOver(
  before: AttachmentRecord,
  next: AttachmentRecord & { readonly netns: NetnsIdentity },
  { unchanged }: { readonly unchanged: boolean },
): Pick<AttachmentRecord, 'generation' | 'first'> {
  if (before.netns.dev !== next.netns.dev || before.netns.ino !== next.netns.ino) return {}
  // An outdated generation is safe: it differs from the kernel's, so CHECK reads the rules.
  const generation = unchanged ? before.generation : next.generation
  return { generation, ...(wasEmpty(before) && !wasEmpty({ ...next, generation }) && { first: true }) }
}
