import type { AttachmentRecord, RuleBackend } from './attachments.ts'

/**
 * The back end to say when the node's `iptables` may have come to mean another one since: an nft that holds our rules
 * leaves no trace by which it would be found, and a legacy one is not found where its programs are gone.
 */
export const recordedBackend = ({ backend }: AttachmentRecord): RuleBackend | undefined =>
  backend === 'nft' || backend === 'legacy' || backend === 'nftables' ? backend : undefined
