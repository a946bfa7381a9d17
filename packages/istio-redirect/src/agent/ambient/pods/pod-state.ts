import { throttledLog } from '../../log/throttled-log.ts'
import type { ScopedLog } from '../../shared/deps.ts'
import type { Reached } from './next-step.ts'

/** State of a pod's enrolment, as the agent keeps it in memory. */
export interface PodState {
  readonly uid: string
  reached: Reached | undefined
  /** Reason why the pod's enrolment waits or failed. */
  waits: string | undefined
  /** Reason why the traffic of the enrolled pod is not captured. */
  lost: string | undefined
  /** True if the last check found no trace of the pod's namespace. */
  unseen: boolean
  /** Names of the counters in `PodCounts` that currently count the pod. */
  counted: readonly Kind[]
  readonly throttled: ReturnType<typeof throttledLog>
}

/** Numbers of the node's pods by the state of their enrolment. */
export interface PodCounts {
  readonly enrolled: number
  readonly pending: number
  /** Number of enrolled pods whose traffic is not captured. These pods are also counted in `enrolled` or `pending`. */
  readonly notCaptured: number
}

/** Name of a counter in `PodCounts`. */
export type Kind = keyof PodCounts

/** Creates the enrolment state of a new pod. */
export const newState = (uid: string, log: ScopedLog): PodState => ({
  uid,
  reached: undefined,
  waits: undefined,
  lost: undefined,
  unseen: false,
  counted: [],
  throttled: throttledLog(log, ''),
})

/** Returns the names of the counters in `PodCounts` that should count the pod in this state. */
export function kindsOf({ reached, waits, lost }: PodState): readonly Kind[] {
  const kinds: Kind[] = []
  if (waits !== undefined) kinds.push('pending')
  else if (reached?.status === 'enabled' || lost !== undefined) kinds.push('enrolled')
  if (lost !== undefined) kinds.push('notCaptured')
  return kinds
}

/** Records the state that a pod's enrolment has reached. The traffic of a newly enrolled pod counts as captured. */
export const reachOf = (state: PodState) => (reached: Reached) => {
  state.reached = reached
  if (reached.status === 'enabled') foundAgain(state)
}

/** Resets the reason why the traffic of a pod is not captured. */
export function foundAgain(state: PodState): void {
  state.lost = undefined
  state.unseen = false
}
