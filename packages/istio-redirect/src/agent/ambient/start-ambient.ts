import { decideEnrolment } from '@cni/istio-rules'
import { messageOf, printable } from '@cni/types'
import type { AmbientConfig } from '../config/ambient-config.ts'
import { keepRunning } from '../part/keep-running.ts'
import type { EndReason } from '../part/part.ts'
import type { ServerReach } from '../part/server-reach.ts'
import type { ApiAccess, Counter, ScopedLog } from '../part/services.ts'
import type { HandedPod } from '../pods/handed-pod.ts'
import type { PodWatches } from '../pods/pod-watches.ts'
import type { AmbientStatus } from '../serve/ambient-status.ts'
import { keepSocket } from '../server/kept-socket.ts'
import type { AmbientMetrics } from './ambient-metrics.ts'
import { eventServer } from './events/event-server.ts'
import type { MakeKernelSide } from './kernel-sides.ts'
import { removeFromNode } from './node-level/left-behind.ts'
import { runAmbient } from './run-ambient.ts'
import { hostRootOf, type RunningAmbient } from './run-options.ts'

/** What {@link startAmbientMode} works with. */
export interface AmbientModeOptions {
  readonly config: AmbientConfig
  readonly api: ApiAccess
  readonly watches: PodWatches
  readonly log: ScopedLog
  readonly metrics: AmbientMetrics
  /** Counts requests of plugins by `response_code`. */
  readonly requests: Counter
  /** Told of each attempt to listen for plugins that failed. */
  readonly failed: () => void
  readonly closed: (reason: string) => void
  /** Told of what becomes of requests. */
  readonly reach?: Pick<ServerReach, 'of'> | undefined
  /** Where traffic is redirected on the node: what does it there. Default: what the settings ask for. */
  readonly makeKernelSide?: MakeKernelSide | undefined
  /** The root of the node's files. Default: `/host` where that is, as in a pod. */
  readonly hostRoot?: string | undefined
}

/** Ambient mode that was started. */
export interface AmbientMode {
  status(): AmbientStatus
  /** What keeps it as a whole from working. */
  problem(): string | undefined
  /**
   * What keeps it from being ready. Once it works, an API server that is away is no reason: pods stay where they are, and
   * another agent in its place would know less.
   */
  unready(): string | undefined
  /** As of the part. */
  enrol(pod: HandedPod, signal: AbortSignal): Promise<'enrolled' | 'not-ambient' | undefined>
  stop(why: EndReason): Promise<void>
}

/**
 * Starts ambient mode: plugins can hand pods over at once, and are refused until it works. Whatever keeps it from working
 * is tried again.
 */
export async function startAmbientMode(options: AmbientModeOptions): Promise<AmbientMode> {
  const { config, log, metrics, requests, closed, failed, hostRoot = hostRootOf() } = options
  const stop = new AbortController()
  const { signal } = stop
  let ambient: RunningAmbient | undefined
  let problem: string | undefined
  let isRemoved = false

  const problemNow = (): string | undefined => {
    if (problem !== undefined || ambient === undefined) return problem ?? 'it is about to start'
    const starting = ambient.isReady ? undefined : 'the pods that are in the mesh already are looked for'
    return ambient.seen.problem() ?? starting ?? ambient.problem?.() ?? socket.problem()
  }
  const server = () =>
    eventServer({
      log,
      requests,
      closed,
      async enrol({ namespace, name, netns, addresses }, left) {
        if (ambient === undefined) throw new Error(`the node agent is not ready: ${problemNow()}`)
        if (ambient.isReady) return ambient.pods.enrol({ namespace, name, netns, addresses }, left)
        const pod = printable(`${namespace}/${name}`)
        throw new Error(`failed to get pod ${pod}: the node agent is not ready: ${problemNow()}`)
      },
    })
  const socket = await keepSocket(config.eventSocket, server, { mode: 0o600, log, failed })

  const run = async (): Promise<void> => {
    try {
      const tell = (running: RunningAmbient): void => {
        ambient = running
        problem = undefined
      }
      const work = config.nodeLevel === undefined ? runAmbient : await nodeLevelWork()
      await work({ ...options, signal, hostRoot, tell, isRemoved: () => isRemoved })
    } catch (error) {
      ambient = undefined
      problem = printable(messageOf(error))
      failed()
      throw error
    }
  }
  const running = keepRunning('ambient mode', run, { log, signal })
  return {
    problem: problemNow,
    unready: () =>
      problem === undefined && ambient?.isReady ? (ambient.problem?.() ?? socket.problem()) : problemNow(),
    status() {
      const counts = ambient?.pods.counts() ?? { enrolled: 0, pending: 0, notCaptured: 0 }
      const { pods, ztunnels = () => 0, backend, nodeLevel } = ambient ?? {}
      const [waiting, astray] = [pods?.waiting() ?? [], pods?.astray() ?? []]
      const problem = problemNow()
      return { ...counts, waiting, astray, ztunnels: ztunnels(), backend, nodeLevel: nodeLevel?.(), problem }
    },
    async enrol(given, left) {
      if (!ambient?.isReady) return undefined
      const { seen, pods } = ambient
      const pod = seen.find(given)
      const labels = seen.namespaceLabels(given.namespace)
      if (pod === undefined || labels === undefined || seen.problem() !== undefined) return undefined
      if (given.uid !== pod.uid) return undefined
      if (!decideEnrolment(pod, labels, config).enrolled) return 'not-ambient'
      await pods.enrol(given, left)
      return 'enrolled'
    },
    async stop(why) {
      await socket.close()
      isRemoved = why === 'removed'
      stop.abort(new Error('the node agent ends'))
      await running
      // It may have been removed before it worked.
      if (isRemoved && config.nodeLevel !== undefined) await removeFromNode({ ...config, hostRoot }, log)
      metrics.ztunnels(0)
      metrics.pods(0, 0, 0)
    },
  }
}

// internal

/** Few nodes do it. */
const nodeLevelWork = async (): Promise<typeof runAmbient> =>
  (await import('./node-level/run-node-level.ts')).runNodeLevel
