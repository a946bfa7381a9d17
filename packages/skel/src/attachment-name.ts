import type { AttachmentContext } from './definition/context.ts'
import { digestOf } from './state/attachment-key.ts'

/** Digits that keep the names of a node's attachments apart. */
const FEWEST = 8

/**
 * A name for something on the node that belongs to one attachment, the same in every call: the prefix, and as much of a
 * digest of network, container and interface as fits. A link has 15 characters at most, a chain of iptables 28, an ipset 31.
 *
 * @throws TypeError where a prefix leaves less than 8 characters.
 * @example
 * ```ts
 * attachmentName(c, 'bw', 15) // 'bw5f70bf18a0860'
 * ```
 */
export function attachmentName(
  { networkName: network, containerID, ifName }: Pick<AttachmentContext, 'networkName' | 'containerID' | 'ifName'>,
  prefix: string,
  length: number,
): string {
  const digits = length - prefix.length
  if (digits >= FEWEST) return `${prefix}${digestOf({ network, containerID, ifName }).slice(0, digits)}`
  throw new TypeError(
    `attachmentName: ${length} characters with the prefix ${JSON.stringify(prefix)} leave ${digits} for the attachment, ${FEWEST} are needed`,
  )
}
