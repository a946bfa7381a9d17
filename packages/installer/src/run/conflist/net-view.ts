import type { Candidates } from '../../conf/candidate.ts'
import type { NetFiles } from '../../files/net-folder.ts'
import type { Settings } from '../../options.ts'
import type { Memory } from '../memory.ts'
import type { StepPlan } from '../step-plan.ts'

/** Input of a plan for the net folder: settings, memory, and the folder's files. */
export interface NetView {
  readonly settings: Settings
  readonly memory: Memory
  readonly files: NetFiles
  readonly candidates: Candidates
}

/** A plan for the net folder, and the primary that it uses. */
export interface ConflistPlan extends StepPlan {
  readonly primary?: string
  readonly preemptedBy?: string | undefined
  /** Time of the next check, if an invalid primary keeps its role until then. */
  readonly until?: number
}
