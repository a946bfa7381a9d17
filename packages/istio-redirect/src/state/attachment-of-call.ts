import type { AttachmentKey } from '@cni/skel'

/** Builds the key under which the attachment of a CNI call is recorded: network, container and interface. */
export const attachmentKey = (call: {
  readonly networkName: string
  readonly containerID: string
  readonly ifName: string
}): AttachmentKey => ({ network: call.networkName, containerID: call.containerID, ifName: call.ifName })
