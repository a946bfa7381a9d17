import { calmLog } from '../../log/calm-log.ts'
import type { ScopedLog } from '../../part/services.ts'
import type { Reached } from './next-step.ts'

/** State of a pod in the reconciler. */
export interface PodState {
  readonly uid: string
  reached: Reached | undefined
  /** Reason why the pod is pending. */
  waits: string | undefined
  /** Reason why the pod is enrolled but not captured. */
  lost: string | undefined
  /** True if the last check of the node showed no trace of the pod. */
  unseen: boolean
  /** Names of the counters that include the pod now. */
  counted: readonly Kind[]
  readonly calm: ReturnType<typeof calmLog>
}

/** Numbers of pods by their state. */
export interface PodCounts {
  readonly enrolled: number
  readonly pending: number
  /** Enrolled pods without capture. Most of them also count as enrolled. */
  readonly notCaptured: number
}

/** Name of a counter of pods. */
export type Kind = keyof PodCounts

/** Creates the state of a new pod. */
export const newState = (uid: string, log: ScopedLog): PodState => ({
  uid,
  reached: undefined,
  waits: undefined,
  lost: undefined,
  unseen: false,
  counted: [],
  calm: calmLog(log, ''),
})

/** Names of the counters that have to include the pod. */
export function kindsOf({ reached, waits, lost }: PodState): readonly Kind[] {
  const kinds: Kind[] = []
  if (waits !== undefined) kinds.push('pending')
  else if (reached?.status === 'enabled' || lost !== undefined) kinds.push('enrolled')
  if (lost !== undefined) kinds.push('notCaptured')
  return kinds
}

/** Records the progress of a pod's enrolment. A newly enrolled pod counts as captured. */
export const reachOf = (state: PodState) => (reached: Reached) => {
  state.reached = reached
  if (reached.status === 'enabled') foundAgain(state)
}

/** Records that the traffic of the pod is captured, or does not have to be. */
export function foundAgain(state: PodState): void {
  state.lost = undefined
  state.unseen = false
}
