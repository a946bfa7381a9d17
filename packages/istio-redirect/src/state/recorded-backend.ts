import { type Backend, iptablesBackend } from '../backend.ts'
import type { AttachmentRecord } from './attachments.ts'

/** Back end of a recorded attachment. The node's iptables may have changed back ends since ADD. */
export const recordedBackend = ({ backend }: AttachmentRecord): Backend | undefined =>
  backend === 'nftables' ? backend : iptablesBackend(backend)
