import type { ApiAccess, Metrics, RepairConfig, ScopedLog } from '../part/services.ts'
import type { PodWatches } from '../pods/pod-watches.ts'

/** Dependencies of the repair controller. */
export interface RepairServices {
  readonly config: RepairConfig
  readonly api: ApiAccess
  readonly log: ScopedLog
  readonly metrics: Metrics
  readonly watches: PodWatches
  /**
   * AbortSignal that aborts when the agent stops or its configuration changes. After a change, the agent starts repair
   * again.
   */
  readonly signal: AbortSignal
}

/** Type of `startRepair`. The caller restarts repair after a rejection. */
export type StartRepair = (services: RepairServices) => Promise<void>
