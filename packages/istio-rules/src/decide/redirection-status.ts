import type { AmbientPod } from './ambient-pod.ts'
import { redirectionAnnotation } from './decide-without-api.ts'

/**
 * State of a pod's redirection, after its rules were written. `enabled` means that ztunnel has accepted the pod, and
 * `pending` that ztunnel has not.
 */
export type RedirectionStatus = 'enabled' | 'pending'

/** Reads the redirection state in the annotation of an ambient pod. */
export function redirectionStatus({ annotations }: Pick<AmbientPod, 'annotations'>): RedirectionStatus | undefined {
  const value = Object.hasOwn(annotations, redirectionAnnotation) ? annotations[redirectionAnnotation] : undefined
  return value === 'enabled' || value === 'pending' ? value : undefined
}
