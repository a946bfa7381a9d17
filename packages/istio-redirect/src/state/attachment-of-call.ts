import type { AttachmentKey } from '@cni/skel'

/** Key of the attachment of a CNI call. */
export const attachmentKey = (call: {
  readonly networkName: string
  readonly containerID: string
  readonly ifName: string
}): AttachmentKey => ({ network: call.networkName, containerID: call.containerID, ifName: call.ifName })
