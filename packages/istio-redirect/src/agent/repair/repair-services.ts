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

/**
 * Type of `startRepair` in `repair/start-repair.ts`. The function runs until the AbortSignal aborts, and settles within
 * a second after that.
 *
 * Repair logs and retries all failed API requests. If the promise rejects, the caller logs the error and restarts
 * repair after a pause. The installation is never affected.
 */
export type StartRepair = (services: RepairServices) => Promise<void>
