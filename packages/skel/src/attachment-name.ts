import type { AttachmentContext } from './definition/context.ts'
import { digestOf } from './state/attachment-key.ts'

/** Fewer digest characters could give two attachments on a node the same name. */
const MIN_LENGTH = 8

/**
 * Name for an attachment's link, chain or set on the node. Every call for the attachment gets the same name. Maximum
 * lengths: a link 15 characters, an iptables chain 28, an ipset 31.
 *
 * @throws TypeError if the prefix leaves fewer than 8 characters for the digest.
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
  if (digits >= MIN_LENGTH) return `${prefix}${digestOf({ network, containerID, ifName }).slice(0, digits)}`
  throw new TypeError(
    `attachmentName: ${length} characters with the prefix ${JSON.stringify(prefix)} leave ${digits} for the attachment, ${MIN_LENGTH} are needed`,
  )
}
