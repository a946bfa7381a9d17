import { existsSync } from 'node:fs'
import type { Backend } from '../../backend.ts'
import type { AmbientConfig } from '../config/ambient-config.ts'
import type { PodWatches } from '../pods/pod-watches.ts'
import type { NodeLevelStatus } from '../serve/ambient-status.ts'
import type { ApiAccess, ScopedLog } from '../shared/deps.ts'
import type { ServerReach } from '../shared/server-reach.ts'
import type { AmbientMetrics } from './ambient-metrics.ts'
import type { MakeKernelSide } from './kernel-sides.ts'
import type { MeshReconciler } from './pods/mesh-reconciler.ts'
import type { PodStore } from './pods/pod-store.ts'

/** Options of {@link runAmbient}, which runs ambient mode until a signal aborts. */
export interface RunAmbientOptions {
  readonly config: AmbientConfig
  readonly api: ApiAccess
  readonly watches: PodWatches
  readonly log: ScopedLog
  readonly metrics: AmbientMetrics
  readonly signal: AbortSignal
  /** True if the agent must remove the node's rules and address sets when ambient mode ends. */
  readonly isRemoved: () => boolean
  /**
   * Creates the `KernelSide`, the part of node-level redirection that changes the kernel. Default: the `KernelSide` for
   * the redirect mode in the settings.
   */
  readonly makeKernelSide?: MakeKernelSide | undefined
  /** Tracks if the API server is reachable, from the results of ambient mode's requests. */
  readonly reach?: Pick<ServerReach, 'of'> | undefined
  /** Called with the running components of ambient mode, whenever a further component has started. */
  readonly onRunning: (running: RunningAmbient) => void
  /** Root of the node's files. The node's procfs and the paths of network namespaces are below this root. */
  readonly hostRoot: string
}

/** Components of ambient mode that are running or starting. The agent's status is made from these components. */
export interface RunningAmbient {
  readonly seen: PodStore
  readonly pods: MeshReconciler
  /** Returns the number of ztunnels that have received all pods of the node. */
  readonly ztunnels: () => number
  readonly backend: Backend | undefined
  /** Returns the status of node-level redirection. Absent for redirection in pods. */
  readonly nodeLevel?: (() => NodeLevelStatus) | undefined
  /** Returns the error that stops all of ambient mode, or `undefined`. */
  readonly problem?: (() => string | undefined) | undefined
  /** True if the agent has taken over the pods that earlier agents enrolled. */
  readonly isReady: boolean
}

/** Finds the root of the node's files: `/host` in a pod of the agent, `/` on the node itself. */
export const hostRootOf = (): string => (existsSync('/host/proc/1') ? '/host' : '/')
