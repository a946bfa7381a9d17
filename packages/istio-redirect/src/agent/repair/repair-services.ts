import type { ApiAccess, Metrics, RepairConfig, ScopedLog } from '../part/services.ts'
import type { PodWatches } from '../pods/pod-watches.ts'

/** Dependencies of the repair controller. */
export interface RepairServices {
  readonly config: RepairConfig
  readonly api: ApiAccess
  readonly log: ScopedLog
  readonly metrics: Metrics
  readonly watches: PodWatches
  /** Aborts when the agent stops or its configuration changes. With a new configuration, repair is started again. */
  readonly signal: AbortSignal
}

/**
 * Type of `startRepair` in `repair/start-repair.ts`. It runs until the signal aborts, then settles within a second.
 *
 * Repair logs and retries all failures of the API server. The caller logs a rejection and restarts it after a pause.
 * Installing
 * is never affected.
 */
export type StartRepair = (services: RepairServices) => Promise<void>
