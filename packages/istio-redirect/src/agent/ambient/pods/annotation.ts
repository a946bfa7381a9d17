import type { AmbientPod } from '@cni/istio-rules'
import { type RedirectionStatus, redirectionAnnotation } from '@cni/istio-rules'
import type { KubeRequest } from '@cni/kube'
import { podPath } from '@cni/kube'

/** The annotation that says how far a pod is; it is a status, and what users write there is overwritten. */
export { redirectionAnnotation }

/**
 * What the API server has to be asked so that the annotation says `status`, or is not there; `undefined` when it is so
 * already. A merge patch of the pod's status, for which less permission is needed than for the pod itself.
 */
export function annotationPatch(
  pod: Pick<AmbientPod, 'namespace' | 'name' | 'annotations'>,
  status: RedirectionStatus | undefined,
): KubeRequest | undefined {
  const { annotations } = pod
  const written = Object.hasOwn(annotations, redirectionAnnotation) ? annotations[redirectionAnnotation] : undefined
  if (written === status) return undefined
  return {
    method: 'PATCH',
    path: `${podPath(pod)}/status`,
    body: {
      type: 'application/merge-patch+json',
      document: { metadata: { annotations: { [redirectionAnnotation]: status ?? null } } },
    },
  }
}

/**
 * How an attempt to enrol ended: `enrolled`, or ztunnel did not take the pod (`unacknowledged`: another attempt may
 * succeed), or its namespace or rules are such that none will (`impossible`).
 */
export type EnrolmentOutcome = 'enrolled' | 'unacknowledged' | 'impossible'

/** What has to be written after an attempt; nothing when no further attempt will do better. */
export function patchAfter(
  pod: Pick<AmbientPod, 'namespace' | 'name' | 'annotations'>,
  outcome: EnrolmentOutcome,
): KubeRequest | undefined {
  if (outcome === 'impossible') return undefined
  return annotationPatch(pod, outcome === 'enrolled' ? 'enabled' : 'pending')
}
