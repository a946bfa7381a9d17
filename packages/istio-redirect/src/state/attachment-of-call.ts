import type { AttachmentKey } from '@cni/skel'

/** The attachment a call is about. */
export const attachmentKey = (call: {
  readonly networkName: string
  readonly containerID: string
  readonly ifName: string
}): AttachmentKey => ({ network: call.networkName, containerID: call.containerID, ifName: call.ifName })
