import { existsSync } from 'node:fs'
import type { Backend } from '../../backend.ts'
import type { AmbientConfig } from '../config/ambient-config.ts'
import type { ServerReach } from '../part/server-reach.ts'
import type { ApiAccess, ScopedLog } from '../part/services.ts'
import type { PodWatches } from '../pods/pod-watches.ts'
import type { NodeLevelStatus } from '../serve/ambient-status.ts'
import type { AmbientMetrics } from './ambient-metrics.ts'
import type { MakeKernelSide } from './kernel-sides.ts'
import type { MeshReconciler } from './pods/mesh-reconciler.ts'
import type { PodStore } from './pods/pod-store.ts'

/** Options of {@link runAmbient}. */
export interface RunAmbientOptions {
  readonly config: AmbientConfig
  readonly api: ApiAccess
  readonly watches: PodWatches
  readonly log: ScopedLog
  readonly metrics: AmbientMetrics
  readonly signal: AbortSignal
  /** True if the node's rules and sets have to be removed at the end. */
  readonly isRemoved: () => boolean
  readonly makeKernelSide?: MakeKernelSide | undefined
  /** Receives the results of the requests to the API server. */
  readonly reach?: Pick<ServerReach, 'of'> | undefined
  /** Called when the start of ambient mode makes progress. */
  readonly tell: (running: RunningAmbient) => void
  /** Root of the node's files, with its procfs and the paths of namespaces. */
  readonly hostRoot: string
}

/** Running or starting ambient mode. */
export interface RunningAmbient {
  readonly seen: PodStore
  readonly pods: MeshReconciler
  /** Number of ztunnels that serve pods of the node. */
  readonly ztunnels: () => number
  readonly backend: Backend | undefined
  /** Status of node-level redirection. */
  readonly nodeLevel?: (() => NodeLevelStatus) | undefined
  /** Error that stops ambient mode as a whole. */
  readonly problem?: (() => string | undefined) | undefined
  /** True when the pods of earlier agents are known and sent to ztunnels. */
  readonly isReady: boolean
}

/** Root of the node's files: `/host` in a pod of the agent, `/` on the node itself. */
export const hostRootOf = (): string => (existsSync('/host/proc/1') ? '/host' : '/')
