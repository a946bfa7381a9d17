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

/** What {@link runAmbient} works with. */
export interface RunAmbientOptions {
  readonly config: AmbientConfig
  readonly api: ApiAccess
  readonly watches: PodWatches
  readonly log: ScopedLog
  readonly metrics: AmbientMetrics
  readonly signal: AbortSignal
  /** Whether the node's rules and sets go at the end. */
  readonly isRemoved: () => boolean
  readonly makeKernelSide?: MakeKernelSide | undefined
  /** Told of what becomes of requests. */
  readonly reach?: Pick<ServerReach, 'of'> | undefined
  /** Told how far the start has come. */
  readonly tell: (running: RunningAmbient) => void
  /** The root of the node's files: its procfs and the paths of namespaces are below. */
  readonly hostRoot: string
}

/** Ambient mode at work, or about to be. */
export interface RunningAmbient {
  readonly seen: PodStore
  readonly pods: MeshReconciler
  /** How many serve pods of the node. */
  readonly ztunnels: () => number
  readonly backend: Backend | undefined
  /** Where traffic is redirected on the node. */
  readonly nodeLevel?: (() => NodeLevelStatus) | undefined
  /** What keeps it as a whole from working. */
  readonly problem?: (() => string | undefined) | undefined
  /** The pods of before are known, and ztunnels are told of them. */
  readonly isReady: boolean
}

/** Whether this machine's files are seen below a folder, as in a pod of the agent, or this is the node itself. */
export const hostRootOf = (): string => (existsSync('/host/proc/1') ? '/host' : '/')
