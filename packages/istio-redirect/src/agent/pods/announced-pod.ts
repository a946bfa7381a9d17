import type { RequestedPod } from '../../decide/decide-add.ts'

/** Pod that a plugin names in its call to the node agent. Without a UID, the agent accepts any pod with the name. */
export interface AnnouncedPod extends RequestedPod {
  /** Path of the pod's network namespace on the node. If it is empty, the agent searches for the namespace. */
  readonly netns: string
  /** IP addresses of the pod without prefix length. */
  readonly addresses: readonly string[]
}
