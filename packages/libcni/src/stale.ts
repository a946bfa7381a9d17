import type { ValidAttachment } from '@cni/types'
import type { CachedAttachment } from './attachment.ts'

/** Of remembered attachments those of a network that are not among the valid ones. */
export function staleAttachments<T extends CachedAttachment>(
  network: string,
  remembered: readonly T[],
  valid: readonly ValidAttachment[],
): T[] {
  return remembered.filter(
    (one) =>
      one.network === network &&
      !valid.some(({ containerID, ifname }) => containerID === one.containerID && ifname === one.ifName),
  )
}
