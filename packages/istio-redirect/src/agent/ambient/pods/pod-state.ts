import { calmLog } from '../../log/calm-log.ts'
import type { ScopedLog } from '../../part/services.ts'
import type { Reached } from './next-step.ts'

/** How far a pod is. */
export interface PodState {
  readonly uid: string
  reached: Reached | undefined
  /** Why it is not as it should be. */
  waits: string | undefined
  /** Why it is not captured, although it was enrolled. */
  lost: string | undefined
  /** The last look at the node showed nothing of it. */
  unseen: boolean
  /** As what it was counted last. */
  counted: readonly Kind[]
  readonly calm: ReturnType<typeof calmLog>
}

/** Numbers of pods. */
export interface PodCounts {
  readonly enrolled: number
  readonly pending: number
  /** Pods that were enrolled and are not captured; most of them are among the enrolled as well. */
  readonly notCaptured: number
}

/** What a pod is counted as. */
export type Kind = keyof PodCounts

/** The state of a pod of which nothing is known. */
export const newState = (uid: string, log: ScopedLog): PodState => ({
  uid,
  reached: undefined,
  waits: undefined,
  lost: undefined,
  unseen: false,
  counted: [],
  calm: calmLog(log, ''),
})

/** What a pod is to be counted as. */
export function kindsOf({ reached, waits, lost }: PodState): readonly Kind[] {
  const kinds: Kind[] = []
  if (waits !== undefined) kinds.push('pending')
  else if (reached?.status === 'enabled' || lost !== undefined) kinds.push('enrolled')
  if (lost !== undefined) kinds.push('notCaptured')
  return kinds
}

/** Writes down how far a pod has come; one that is enrolled anew is captured. */
export const reachOf = (state: PodState) => (reached: Reached) => {
  state.reached = reached
  if (reached.status === 'enabled') foundAgain(state)
}

/** The pod is captured, or does not have to be. */
export function foundAgain(state: PodState): void {
  state.lost = undefined
  state.unseen = false
}
