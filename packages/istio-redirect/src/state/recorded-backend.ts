import { type Backend, iptablesBackend } from '../backend.ts'
import type { AttachmentRecord } from './attachments.ts'

/**
 * Back end of a recorded attachment. CHECK and DEL pass it to iptables explicitly, because the node's iptables may use
 * another back end by now. The iptables programs would then not find the recorded rules.
 */
export const recordedBackend = ({ backend }: AttachmentRecord): Backend | undefined =>
  backend === 'nftables' ? backend : iptablesBackend(backend)
