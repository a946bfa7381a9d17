import type { ApiAccess, Metrics, RepairConfig, ScopedLog } from '../part/services.ts'
import type { PodWatches } from '../pods/pod-watches.ts'

/** What the repair controller is given. */
export interface RepairServices {
  readonly config: RepairConfig
  readonly api: ApiAccess
  readonly log: ScopedLog
  readonly metrics: Metrics
  readonly watches: PodWatches
  /** Aborted when the agent stops, or when the configuration changed: repair is then started again with the new one. */
  readonly signal: AbortSignal
}

/**
 * `repair/start-repair.ts` exports one as `startRepair`. It runs until the signal, then settles within a second.
 * API servers that are away, slow or refuse are its own business: it logs and tries again. What it rejects with is
 * logged, and it is started again after a pause; installing is never affected.
 */
export type StartRepair = (services: RepairServices) => Promise<void>
