import { isObject, type ValidAttachment } from '@cni/types'
import type { CachedAttachment } from '../attachment.ts'
import { RuntimeError } from '../errors.ts'

/**
 * Cached attachments of a network that GC deletes, because the caller's list lacks them.
 *
 * @throws {@link RuntimeError} `GC` if the caller's list is invalid, because GC would then delete all attachments.
 */
export function staleAttachments<T extends CachedAttachment>(
  network: string,
  cached: readonly T[],
  valid: readonly ValidAttachment[],
): T[] {
  assertAttachments(valid)
  return cached.filter(
    (one) =>
      one.network === network &&
      !valid.some(({ containerID, ifname }) => containerID === one.containerID && ifname === one.ifName),
  )
}

/** Requires the key `ifname`, because callers may use `ifName` of `Attachment` by mistake. */
function assertAttachments(valid: unknown): void {
  const wrong = (what: string, expected: string, got: unknown): RuntimeError => {
    const message = `${what}: expected ${expected}, got ${got}; every other attachment would be deleted`
    return new RuntimeError('GC', message, { hint: 'the key is ifname, in lower case; [] says that none is valid' })
  }
  if (!Array.isArray(valid)) throw wrong('validAttachments', 'a list of { containerID, ifname }', typeof valid)
  for (const [index, one] of valid.entries()) {
    if (isObject(one) && typeof one.containerID === 'string' && typeof one.ifname === 'string') continue
    throw wrong(`validAttachments[${index}]`, '{ containerID, ifname }', JSON.stringify(one))
  }
}
