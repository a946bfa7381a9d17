import { setTimeout as delay } from 'node:timers/promises'
import {
  eventRecorder,
  type KubeClient,
  kubeClient,
  serviceAccountAccess,
  type WatchStore,
  watchStore,
  workQueue,
} from '@cni/kube'
import { netns } from '@cni/netns'
import { messageOf, printable } from '@cni/types'
import { throttledLog } from '../log/throttled-log.ts'
import { keyOf, type ObservedPod, observePod } from '../pods/observed-pod.ts'
import type { PodWatches } from '../pods/pod-watches.ts'
import type { ApiAccess, Metrics, RepairConfig, ScopedLog } from '../shared/deps.ts'
import { whenAborted } from '../shared/when-aborted.ts'
import { isBroken } from './broken.ts'
import { modeOf, reconciler } from './reconcile.ts'
import { repairInPlace } from './repair-in-place.ts'

/** Maximal number of attempts to repair, delete or label a broken pod. A change of the pod permits more attempts. */
const MAX_ATTEMPTS = 5

/** Dependencies of the repair controller. */
export interface RepairDeps {
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

/** Dependencies of the repair controller that tests replace. */
export interface RepairOverrides {
  /** Path at which the agent sees the node's procfs. Default `/host/proc`. */
  readonly hostProc?: string
  /** Function that repairs a pod. Default: writes the missing rules in the running pod. */
  readonly repair?: (pod: ObservedPod) => Promise<void>
}

/**
 * Watches the pods of the node until the AbortSignal aborts, and settles within a second after that. Acts on pods whose
 * init container reported missing redirection.
 *
 * Repair logs and retries all failed API requests. If the promise rejects, the caller logs the error and restarts
 * repair after a pause. The installation is never affected.
 */
export async function startRepair(deps: RepairDeps, overrides: RepairOverrides = {}): Promise<void> {
  const { config, api, log, metrics, watches, signal } = deps
  const { hostProc = '/host/proc', repair = inPlace } = overrides
  const mode = modeOf(config)
  if (mode === 'none') {
    log.info('repair is enabled without an action (repair, delete or label): nothing is watched')
    return whenAborted(signal)
  }
  // Starts Node.js's thread pool now, because a later thread would stay in a pod's namespace.
  if (mode === 'repair') await netns.warmPool()

  const failures = metrics.counter('istio_cni_repair_errors_total', 'Errors of the repair controller, by type', [
    'type',
  ])
  const connect = (): KubeClient => kubeClient(serviceAccountAccess(api), { userAgent: 'istio-cni-repair' })
  const eventLog = throttledLog(log, 'events are written again')
  const events = eventRecorder({
    connect,
    component: 'cni-repair',
    signal,
    failed(error) {
      failures.inc({ type: 'event' })
      eventLog.failed(`cannot write an event: ${errorText(error)}`)
    },
  })
  const act = reconciler({
    config,
    connect,
    events,
    pods: metrics.counter(
      'istio_cni_repair_pods_repaired_total',
      'Total number of pods repaired by repair controller',
      ['type', 'result'],
    ),
    log,
    signal,
    repairInPlace: repair,
  })
  const queue = workQueue({
    async work(key) {
      const pod = seen.get(key)
      if (pod?.isBroken) await act.act(pod)
      // Forgets the repair of a pod that was deleted during the repair.
      if (seen.get(key) === undefined) act.forget(key)
    },
    failed(key, error, again) {
      if (signal.aborted) return
      log.warn(
        `${mode} of a broken pod failed: ${errorText(error)}${again ? '' : '; no further attempt until it changes'}`,
        {
          pod: key,
        },
      )
    },
    maxAttempts: MAX_ATTEMPTS,
    signal,
  })

  const [apiLog, malformedLog] = [throttledLog(log, 'pods are watched again'), throttledLog(log, '')]
  const seen: WatchStore<SeenPod> = watchStore({
    // Stores only pods that are or were broken, because a node may have hundreds of pods.
    keep(object) {
      const pod = observePod(object)
      if (pod === undefined || isBroken(pod, config))
        return pod && { ...withoutUnusedMembers(pod, config), isBroken: true }
      const before = seen.get(keyOf(pod))
      return before?.uid === pod.uid ? { ...before, isBroken: false } : null
    },
    changed(key, _, pod) {
      if (pod === undefined) act.forget(key)
      else if (pod.isBroken) queue.add(key)
    },
    malformed() {
      failures.inc({ type: 'pod' })
      malformedLog.failed('ignored an object from the API server that is not a pod')
    },
    listed: () => apiLog.worked(),
    failed(error) {
      failures.inc({ type: error.status === undefined ? error.code.toLowerCase() : `status_${error.status}` })
      apiLog.failed(`cannot watch pods: ${error.message}; retrying`)
    },
  })
  const { nodeName, fieldSelectors, labelSelectors } = config
  await watches.follow({ api, nodeName, fieldSelectors, labelSelectors }, seen, signal)
  await Promise.race([queue.idle(), delay(SETTLE_MS)])

  function inPlace(pod: ObservedPod): Promise<void> {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(REPAIR_TIMEOUT_MS)])
    return repairInPlace(pod, { config, connect, log, signal: deadline, hostProc })
  }
}

/** Deadline in milliseconds for running repairs when the agent stops. The whole agent has to end within a second. */
const SETTLE_MS = 800

/** Deadline in milliseconds for the repair of one pod. A successful repair takes far less time. */
const REPAIR_TIMEOUT_MS = 60_000

/** Pod that is or was broken. The repair controller keeps it until the pod is deleted. */
interface SeenPod extends ObservedPod {
  readonly isBroken: boolean
}

/** Drops a pod's members that repairing, deleting and labelling do not read. */
function withoutUnusedMembers(pod: ObservedPod, { brokenPodLabelKey: key }: RepairDeps['config']): ObservedPod {
  const labels = Object.hasOwn(pod.labels, key) ? { [key]: '' } : {}
  return { ...pod, labels, annotations: {}, initContainers: [] }
}

const errorText = (error: unknown): string => printable(messageOf(error))
