import type { PodIdentity } from '@cni/istio-rules'

/** A pod that a plugin hands over. */
export interface HandedPod extends PodIdentity {
  /** Empty: of the pod that is known by that name. */
  readonly uid?: string | undefined
  readonly netns: string
  readonly addresses: readonly string[]
}
