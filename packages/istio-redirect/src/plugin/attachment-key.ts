import type { AttachmentKey } from '../state/attachment.ts'

/** The attachment a call is about. */
export const attachmentKey = (c: {
  readonly networkName: string
  readonly containerID: string
  readonly ifName: string
}): AttachmentKey => ({ network: c.networkName, containerID: c.containerID, ifName: c.ifName })
