import type { PodIdentity } from '@cni/istio-rules'

/** Pod that a plugin names in its call to the node agent. */
export interface HandedPod extends PodIdentity {
  /** UID of the pod. Without a UID, the agent accepts any pod with the same namespace and name. */
  readonly uid?: string | undefined
  readonly netns: string
  readonly addresses: readonly string[]
}
