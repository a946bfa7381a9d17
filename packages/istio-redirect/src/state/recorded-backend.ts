import { type Backend, iptablesBackend } from '../backend.ts'
import type { AttachmentRecord } from './attachments.ts'

/**
 * The back end to say when the node's `iptables` may have come to mean another one since: an nft that holds our rules
 * leaves no trace by which it would be found, and a legacy one is not found where its programs are gone.
 */
export const recordedBackend = ({ backend }: AttachmentRecord): Backend | undefined =>
  backend === 'nftables' ? backend : iptablesBackend(backend)
