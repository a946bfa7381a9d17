import { setTimeout as delay } from 'node:timers/promises'
import { VERSION } from '@cni/host/cli'
import type { PodIdentity } from '@cni/istio-rules'
import { type PodInfo, podAddresses, podInfo } from '@cni/istio-rules'
import type { Observer } from '@cni/kube'
import { getPod, KubeError, kubeClient, serviceAccountAccess } from '@cni/kube'
import { makeBatch } from '../../decide/make-batch.ts'
import type { AddRequest } from '../../serve/add-request.ts'
import { throttledLog } from '../log/throttled-log.ts'
import type { AnnouncedPod } from '../pods/announced-pod.ts'
import { findPod } from '../pods/find-pod.ts'
import { podCache } from '../pods/pod-cache.ts'
import type { PodWatches } from '../pods/pod-watches.ts'
import type { CloseReason } from '../server/bounded-connections.ts'
import { persistentSocket } from '../server/persistent-socket.ts'
import type { ApiAccess, ScopedLog, ServeConfig } from '../shared/deps.ts'
import { keepRunning } from '../shared/keep-running.ts'
import type { AmbientStatus } from './ambient-status.ts'
import { answerAdd } from './answer-add.ts'
import { atMost } from './at-most.ts'
import { cachedBatches } from './cached-batches.ts'
import { decisionServer } from './decision-server.ts'
import type { ServingMetrics } from './serving-metrics.ts'
import type { ServingStatus } from './serving-status.ts'

/** Dependencies of {@link startServing}, the service that answers the plugin's calls. */
export interface ServingDeps {
  readonly config: ServeConfig
  readonly api: ApiAccess
  readonly watches: PodWatches
  /** Log scope for messages of the agent itself. The plugin's log lines have another scope. */
  readonly own: ScopedLog
  readonly metrics: ServingMetrics
  /** Called after each failed attempt to listen on the socket for the plugin. */
  readonly failed: () => void
  readonly closed: (reason: CloseReason) => void
  /** Returns the status of ambient mode. Absent if ambient mode is off. */
  readonly ambient?: (() => AmbientStatus | undefined) | undefined
  /** Returns the reason why a stopping agent cannot distinguish an update of its DaemonSet from a removal. */
  readonly upgrade?: (() => string | undefined) | undefined
  /** Enrols starting pods in ambient mode. Absent if ambient mode is off. */
  readonly enrol?: EnrolPod | undefined
}

/** Enrols a starting pod in ambient mode. `undefined` if the agent cannot enrol pods now. */
export type EnrolPod = (pod: AnnouncedPod, signal: AbortSignal) => Promise<'enrolled' | 'not-ambient' | undefined>

/** Deadline in milliseconds for one API request for a pod. The plugin waits three seconds for the agent's answer. */
const REQUEST_TIMEOUT_MS = 2500

/** Maximal number of concurrent API requests for single pods. Each response may have megabytes. */
const MAX_REQUESTS = 2

/** Deadline in milliseconds for an enrolment during an ADD. The enrolment continues after the deadline. */
const ENROL_TIMEOUT_MS = 2500

/** Answers the plugin's calls on a socket. Resolves with the function that stops this service. */
export async function startServing(deps: ServingDeps): Promise<() => Promise<void>> {
  const { config, api, watches, own, metrics } = deps
  const stop = new AbortController()
  const { signal } = stop
  const cache = config.nodeName === '' ? undefined : podCache()
  const connect = async () => kubeClient(serviceAccountAccess(api), { userAgent: 'install-cni' })

  const limited = atMost(MAX_REQUESTS)
  /** Requests a pod from the API server once, without retries: after a failure, the plugin sends its own request. */
  const ask = async (who: PodIdentity, left: AbortSignal): Promise<PodInfo> => {
    const until = AbortSignal.any([signal, left, AbortSignal.timeout(REQUEST_TIMEOUT_MS)])
    return limited(async () => {
      until.throwIfAborted()
      return podInfo(await getPod(who, { connect, signal: until, maxRequests: 1 }))
    })
  }
  const batch = cachedBatches(makeBatch)
  const answer = (request: AddRequest, left: AbortSignal) =>
    answerAdd(request, {
      batch,
      async pod(asked) {
        const { pod, source } = await findPod(asked, { cache, ask: (who) => ask(who, left) })
        metrics.found(source)
        return pod
      },
      enrol: (pod) => withDeadline(ENROL_TIMEOUT_MS, deps.enrol?.(podOf(pod), left)),
    })
  const status = (): ServingStatus => {
    const problem = cache === undefined ? NO_NODE_NAME : cache.problem()
    const pods = problem === undefined ? 'watched' : 'asked for'
    return { version: VERSION, pods, problem, ambient: deps.ambient?.(), upgrade: deps.upgrade?.() }
  }
  const following =
    cache &&
    keepRunning(
      'the watch of pods',
      async () => {
        try {
          const observer = loggingObserver(cache.observer, deps)
          await watches.follow({ api, nodeName: config.nodeName }, observer, signal)
        } finally {
          cache.observer.failed(new KubeError('ABORTED', 'pods are not watched'), 0)
          metrics.watching(false)
        }
      },
      { log: own, signal },
    )
  const { closed, failed } = deps
  const server = () => decisionServer({ version: VERSION, answer, answered: metrics.answered, status, closed })
  const socket = await persistentSocket(config.socket, server, { mode: 0o600, log: own, failed })
  return async () => {
    stop.abort()
    await socket.close()
    await following
  }
}

const NO_NODE_NAME = 'the name of the node is unknown: set NODE_NAME'

const podOf = (pod: AnnouncedPod): AnnouncedPod => ({ ...pod, addresses: podAddresses(pod.addresses) })

/** Resolves with the result of the promise `work`, or with `undefined` after the deadline. */
async function withDeadline<T>(ms: number, work: Promise<T> | undefined): Promise<T | undefined> {
  const limit = new AbortController()
  const late = delay(ms, undefined, { signal: limit.signal }).catch(() => undefined)
  return Promise.race([work, late]).finally(() => limit.abort())
}

/** Wraps an observer of the pod watch to add log lines and a metric. */
function loggingObserver(observer: Observer, { own, metrics }: ServingDeps): Observer {
  const throttled = throttledLog(own, 'the pods of this node are watched again')
  return {
    ...observer,
    listed() {
      observer.listed()
      metrics.watching(true)
      throttled.worked()
    },
    alive() {
      observer.alive?.()
      metrics.watching(true)
      throttled.worked()
    },
    failed(error, pauseMs) {
      observer.failed(error, pauseMs)
      metrics.watching(false)
      throttled.failed(`cannot watch the pods of this node, each served pod needs an API request: ${error.message}`)
    },
  }
}
