import type { AmbientPod } from './ambient-pod.ts'
import { redirectionAnnotation } from './decide-without-api.ts'

/** `enabled`: its rules are in and ztunnel has it. `pending`: its rules are in, ztunnel has not said yes. */
export type RedirectionStatus = 'enabled' | 'pending'

/** How far a pod's annotation says it is. */
export function redirectionStatus({ annotations }: Pick<AmbientPod, 'annotations'>): RedirectionStatus | undefined {
  const value = Object.hasOwn(annotations, redirectionAnnotation) ? annotations[redirectionAnnotation] : undefined
  return value === 'enabled' || value === 'pending' ? value : undefined
}
