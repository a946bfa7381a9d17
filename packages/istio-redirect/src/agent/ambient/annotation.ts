import { redirectionAnnotation } from '../../decide/before-asking.ts'
import type { KubeRequest } from '../../kube/client.ts'
import { podPath } from '../../kube/pod.ts'
import type { AmbientPod } from './ambient-pod.ts'

/** The annotation that says how far a pod is; it is a status, and what users write there is overwritten. */
export { redirectionAnnotation }

/** `enabled`: its rules are in and ztunnel has it. `pending`: its rules are in, ztunnel has not said yes. */
export type RedirectionStatus = 'enabled' | 'pending'

/** How far a pod's annotation says it is. */
export function redirectionStatus({ annotations }: Pick<AmbientPod, 'annotations'>): RedirectionStatus | undefined {
  const value = written(annotations)
  return value === 'enabled' || value === 'pending' ? value : undefined
}

/**
 * What the API server has to be asked so that the annotation says `status`, or is not there; `undefined` when it is so
 * already. A merge patch of the pod's status, for which less permission is needed than for the pod itself.
 */
export function annotationPatch(
  pod: Pick<AmbientPod, 'namespace' | 'name' | 'annotations'>,
  status: RedirectionStatus | undefined,
): KubeRequest | undefined {
  if (written(pod.annotations) === status) return undefined
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

// internal

const written = (annotations: AmbientPod['annotations']): string | undefined =>
  Object.hasOwn(annotations, redirectionAnnotation) ? annotations[redirectionAnnotation] : undefined
