import type { AmbientPod } from '@cni/istio-rules'
import { type RedirectionStatus, redirectionAnnotation } from '@cni/istio-rules'
import type { KubeRequest } from '@cni/kube'
import { podPath } from '@cni/kube'

/** Annotation with the status of a pod's enrolment in the mesh. The agent overwrites values of users. */
export { redirectionAnnotation }

/**
 * Builds the API request that changes the redirection annotation. Patches `pods/status`, which needs few permissions.
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
