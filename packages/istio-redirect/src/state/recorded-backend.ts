import { type Backend, iptablesBackend } from '../backend.ts'
import type { AttachmentRecord } from './attachments.ts'

/** Returns the back end of an attachment's record. The node may have switched back ends since ADD. */
export const recordedBackend = ({ backend }: AttachmentRecord): Backend | undefined =>
  backend === 'nftables' ? backend : iptablesBackend(backend)
