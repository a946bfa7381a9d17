import { decideEnrolment, podRef } from '@cni/istio-rules'
import { messageOf, printable } from '@cni/types'
import type { AnnouncedPod } from '../pods/announced-pod.ts'
import type { AmbientStatus } from '../serve/ambient-status.ts'
import { persistentSocket } from '../server/persistent-socket.ts'
import type { Counter } from '../shared/deps.ts'
import { keepRunning } from '../shared/keep-running.ts'
import type { EndReason } from '../shared/service.ts'
import { eventServer } from './events/event-server.ts'
import { removeFromNode } from './node-level/obsolete-redirection.ts'
import { runAmbient } from './run-ambient.ts'
import { hostRootOf, type RunAmbientOptions, type RunningAmbient } from './run-options.ts'

/** Options of {@link startAmbientMode}, which starts ambient mode in the agent. */
export interface AmbientModeOptions extends Omit<RunAmbientOptions, 'hostRoot' | 'isRemoved' | 'signal' | 'onRunning'> {
  /** Metric that counts requests of plugins, by `response_code`. */
  readonly requests: Counter
  /** Called after each failed attempt to listen for plugins, or to run ambient mode. */
  readonly failed: () => void
  readonly closed: (reason: string) => void
  /** Root of the node's files. Default: `/host` if it exists, as in a pod of the agent. */
  readonly hostRoot?: string | undefined
}

/** Handle by which the agent queries and stops a running ambient mode. */
export interface AmbientMode {
  status(): AmbientStatus
  /** Returns the error that stops all of ambient mode, or `undefined`. */
  problem(): string | undefined
  /** Returns the reason why ambient mode is not ready. API failures after the start do not count. */
  unready(): string | undefined
  /** Enrols a starting pod for a plugin. `undefined` if enrolment is impossible now. */
  enrol(pod: AnnouncedPod, signal: AbortSignal): Promise<'enrolled' | 'not-ambient' | undefined>
  stop(why: EndReason): Promise<void>
}

/** Starts ambient mode. Until ambient mode works, refuses the pods that plugins report. Retries after every error. */
export async function startAmbientMode(options: AmbientModeOptions): Promise<AmbientMode> {
  const { config, log, metrics, requests, closed, failed, hostRoot = hostRootOf() } = options
  const stop = new AbortController()
  const { signal } = stop
  let ambient: RunningAmbient | undefined
  let problem: string | undefined
  let isRemoved = false

  const problemNow = (): string | undefined => {
    if (problem !== undefined || ambient === undefined) return problem ?? 'it is starting'
    const starting = ambient.isReady ? undefined : 'searching for pods that are already enrolled'
    return ambient.seen.problem() ?? starting ?? ambient.problem?.() ?? socket.problem()
  }
  const server = () =>
    eventServer({
      log,
      requests,
      closed,
      async enrol(event, left) {
        if (ambient === undefined) throw new Error(`the node agent is not ready: ${problemNow()}`)
        if (ambient.isReady) return ambient.pods.enrol(event, left)
        const pod = printable(podRef(event))
        throw new Error(`failed to get pod ${pod}: the node agent is not ready: ${problemNow()}`)
      },
    })
  const socket = await persistentSocket(config.eventSocket, server, { mode: 0o600, log, failed })

  const run = async (): Promise<void> => {
    try {
      const onRunning = (running: RunningAmbient): void => {
        ambient = running
        problem = undefined
      }
      const work = config.nodeLevel === undefined ? runAmbient : await nodeLevelWork()
      await work({ ...options, signal, hostRoot, onRunning, isRemoved: () => isRemoved })
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
      stop.abort(new Error('the node agent stops'))
      await running
      // Removes an earlier agent's redirection, which is still installed if ambient mode never worked.
      if (isRemoved && config.nodeLevel !== undefined) await removeFromNode({ ...config, hostRoot }, log)
      metrics.ztunnels(0)
      metrics.pods(0, 0, 0)
    },
  }
}

// internal

/** Loads the code of node-level redirection on demand, because few nodes use it. */
const nodeLevelWork = async (): Promise<typeof runAmbient> =>
  (await import('./node-level/run-node-level.ts')).runNodeLevel
