import type { PodIdentity } from '@cni/istio-rules'

/** Pod of a plugin's call to the agent. */
export interface HandedPod extends PodIdentity {
  /** UID of the pod. If the UID is empty, the agent uses the pod that it knows by this name. */
  readonly uid?: string | undefined
  readonly netns: string
  readonly addresses: readonly string[]
}
