import type { Candidates } from '../../conf/candidate.ts'
import type { NetFiles } from '../../files/net-folder.ts'
import type { Settings } from '../../options.ts'
import type { Memory } from '../memory.ts'
import type { StepPlan } from '../step-plan.ts'

/** All that a plan for the net folder depends on: the options, what is remembered, and the folder as it was read. */
export interface NetView {
  readonly settings: Settings
  readonly memory: Memory
  readonly files: NetFiles
  readonly candidates: Candidates
}

/** A plan for the net folder, and which file it takes for the primary. */
export interface ConflistPlan extends StepPlan {
  readonly primary?: string
  readonly preemptedBy?: string | undefined
  /** When to look again because a broken primary keeps its role until then. */
  readonly until?: number
}
