import type { PodIdentity } from '@cni/istio-rules'

/** Pod that a plugin names in its call to the node agent. */
export interface HandedPod extends PodIdentity {
  /** UID of the pod. If the UID is empty, the agent takes the pod that it knows under the same name. */
  readonly uid?: string | undefined
  readonly netns: string
  readonly addresses: readonly string[]
}
