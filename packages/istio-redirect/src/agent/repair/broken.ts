import type { InitContainerStatus, ObservedPod, Termination } from '../pods/observed-pod.ts'
import type { RepairConfig } from '../shared/deps.ts'

/** Settings that define when the repair controller treats a pod as broken. */
export type BrokenFilter = Pick<
  RepairConfig,
  'sidecarAnnotation' | 'initContainerName' | 'initContainerTerminationMessage' | 'initContainerExitCode'
>

/** True if an init container of the pod reported missing redirection and has not succeeded since. */
export function isBroken(pod: ObservedPod, filter: BrokenFilter): boolean {
  if (filter.sidecarAnnotation !== '' && !Object.hasOwn(pod.annotations, filter.sidecarAnnotation)) return false
  return pod.initContainers.some((container) => reportsMissingRules(container, filter))
}

function reportsMissingRules({ name, terminated, lastTerminated }: InitContainerStatus, filter: BrokenFilter): boolean {
  if (filter.initContainerName !== '' && name !== filter.initContainerName) return false
  if (terminated !== undefined && (terminated.reason === 'Completed' || terminated.exitCode === 0)) return false
  // Istio repairs after the second crash, which never happens with restartPolicy Never.
  return matches(terminated, filter) || matches(lastTerminated, filter)
}

function matches(ended: Termination | undefined, filter: BrokenFilter): boolean {
  if (ended === undefined) return false
  const message = filter.initContainerTerminationMessage.trim()
  const { initContainerExitCode: exitCode } = filter
  return (message === '' || ended.message.trim() === message) && (exitCode === 0 || ended.exitCode === exitCode)
}
