import type { PodIdentity } from '@cni/istio-rules'

/** Pod of a plugin's call to the agent. */
export interface HandedPod extends PodIdentity {
  /** UID of the pod. If it is empty, the known pod of that name is meant. */
  readonly uid?: string | undefined
  readonly netns: string
  readonly addresses: readonly string[]
}
