import type { Candidates } from '../../conf/candidate.ts'
import type { NetFiles } from '../../files/net-folder.ts'
import type { Settings } from '../../options.ts'
import type { Memory } from '../memory.ts'
import type { StepPlan } from '../step-plan.ts'

/** Input for planning changes in the CNI network folder. */
export interface NetView {
  readonly settings: Settings
  readonly memory: Memory
  readonly files: NetFiles
  readonly candidates: Candidates
}

/** Planned changes in the CNI network folder, and the primary network configuration on which they are based. */
export interface ConflistPlan extends StepPlan {
  readonly primary?: string
  readonly preemptedBy?: string | undefined
  /** End of the grace period for an invalid primary network configuration. The installer must then check again. */
  readonly until?: number
}
