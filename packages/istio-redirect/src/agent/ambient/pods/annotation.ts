import type { AmbientPod } from '@cni/istio-rules'
import { type RedirectionStatus, redirectionAnnotation } from '@cni/istio-rules'
import type { KubeRequest } from '@cni/kube'
import { podPath } from '@cni/kube'

/** Annotation with the status of a pod's enrolment in the mesh. The agent overwrites values of users. */
export { redirectionAnnotation }

/**
 * API request that sets the redirection annotation of a pod to `status`, or removes the annotation. Returns `undefined`
 * if no change is needed.
 *
 * The request patches the subresource `pods/status`, which needs fewer permissions than a patch of the whole pod.
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
 * Result of an attempt to enrol a pod:
 * - `enrolled`: the pod is in the mesh.
 * - `unacknowledged`: ztunnel did not accept the pod. A retry may succeed.
 * - `impossible`: the pod's namespace or rules make enrolment impossible. A retry would fail too.
 */
export type EnrolmentOutcome = 'enrolled' | 'unacknowledged' | 'impossible'

/**
 * API request that writes the result of an enrolment into the pod's annotation. Returns `undefined` for the result
 * `impossible`: the agent writes no annotation for this result.
 */
export function patchAfter(
  pod: Pick<AmbientPod, 'namespace' | 'name' | 'annotations'>,
  outcome: EnrolmentOutcome,
): KubeRequest | undefined {
  if (outcome === 'impossible') return undefined
  return annotationPatch(pod, outcome === 'enrolled' ? 'enabled' : 'pending')
}
