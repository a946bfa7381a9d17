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
import { calmLog } from '../log/calm-log.ts'
import { whenAborted } from '../part/when-aborted.ts'
import { keyOf, type ObservedPod, observePod } from '../pods/observed-pod.ts'
import { isBroken } from './broken.ts'
import { modeOf, reconciler } from './reconcile.ts'
import { repairInPlace } from './repair-in-place.ts'
import type { RepairServices } from './repair-services.ts'

/** How often a broken pod is acted on in all, before it has to change first. */
const MAX_ATTEMPTS = 5

/** What tests may want to differ. */
export interface RepairDeps {
  /** The node's procfs. Default `/host/proc`. */
  readonly hostProc?: string
  /** Instead of repairing in place. */
  readonly repair?: (pod: ObservedPod) => Promise<void>
}

/**
 * Watches the pods of the node and acts on those whose init container found no redirection, until the signal. Whatever
 * the API server does, it is tried again; see `StartRepair`.
 */
export async function startRepair(services: RepairServices, around: RepairDeps = {}): Promise<void> {
  const { config, api, log, metrics, watches, signal } = services
  const { hostProc = '/host/proc', repair = inPlace } = around
  const mode = modeOf(config)
  if (mode === 'none') {
    log.info('repair is enabled, but neither to repair, to delete nor to label pods: nothing is watched')
    return whenAborted(signal)
  }
  // Threads keep the namespace they were born in: they have to be there before the first pod's is entered.
  if (mode === 'repair') await netns.warmPool()

  const failures = metrics.counter('istio_cni_repair_errors_total', 'What kept the repair controller from its work', [
    'type',
  ])
  const connect = (): KubeClient => kubeClient(serviceAccountAccess(api), { userAgent: 'istio-cni-repair' })
  const eventLog = calmLog(log, 'events are written again')
  const events = eventRecorder({
    connect,
    component: 'cni-repair',
    signal,
    failed(error) {
      failures.inc({ type: 'event' })
      eventLog.failed(`an event could not be written: ${words(error)}`)
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
      // The pod may have gone meanwhile.
      if (seen.get(key) === undefined) act.forget(key)
    },
    failed(key, error, again) {
      if (signal.aborted) return
      log.warn(`${mode} of a broken pod failed: ${words(error)}${again ? '' : '; not tried again until it changes'}`, {
        pod: key,
      })
    },
    maxAttempts: MAX_ATTEMPTS,
    signal,
  })

  const [apiLog, malformedLog] = [calmLog(log, 'pods are watched again'), calmLog(log, '')]
  const seen: WatchStore<SeenPod> = watchStore({
    // Most pods are never broken, and not kept: a node may have hundreds.
    keep(object) {
      const pod = observePod(object)
      if (pod === undefined || isBroken(pod, config)) return pod && { ...whatActionsNeed(pod, config), isBroken: true }
      const before = seen.get(keyOf(pod))
      return before?.uid === pod.uid ? { ...before, isBroken: false } : null
    },
    changed(key, _, pod) {
      if (pod === undefined) act.forget(key)
      else if (pod.isBroken) queue.add(key)
    },
    malformed() {
      failures.inc({ type: 'pod' })
      malformedLog.failed('the API server sent something that is not a pod: it is ignored')
    },
    listed: () => apiLog.worked(),
    failed(error) {
      failures.inc({ type: error.status === undefined ? error.code.toLowerCase() : `status_${error.status}` })
      apiLog.failed(`pods cannot be watched: ${error.message}; trying again`)
    },
  })
  const { nodeName, fieldSelectors, labelSelectors } = config
  await watches.follow({ api, nodeName, fieldSelectors, labelSelectors }, seen, signal)
  await Promise.race([queue.idle(), delay(settleMs)])

  function inPlace(pod: ObservedPod): Promise<void> {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(repairMs)])
    return repairInPlace(pod, { config, connect, log, signal: deadline, hostProc })
  }
}

/** How long running repairs may take to end. The whole agent has to end within a second. */
const settleMs = 800

/** When a repair in place is given up. One that succeeds takes far less. */
const repairMs = 60_000

/** A pod that is broken, or was: what was done to it is remembered until it is gone. */
interface SeenPod extends ObservedPod {
  readonly isBroken: boolean
}

/** Most of a pod only tells that it is broken. */
function whatActionsNeed(pod: ObservedPod, { brokenPodLabelKey: key }: RepairServices['config']): ObservedPod {
  const labels = Object.hasOwn(pod.labels, key) ? { [key]: '' } : {}
  return { ...pod, labels, annotations: {}, initContainers: [] }
}

const words = (error: unknown): string => printable(messageOf(error))
