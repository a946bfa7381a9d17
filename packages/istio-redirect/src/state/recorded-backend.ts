import { type Backend, iptablesBackend } from '../backend.ts'
import type { AttachmentRecord } from './attachments.ts'

/**
 * Back end of a recorded attachment, which CHECK and DEL pass to iptables explicitly. Since ADD, the node's iptables
 * may have changed to another back end, in which the recorded rules are not visible.
 */
export const recordedBackend = ({ backend }: AttachmentRecord): Backend | undefined =>
  backend === 'nftables' ? backend : iptablesBackend(backend)
