import type { eventRecorder, KubeClient, KubeRequest } from '@cni/kube'
import { isKubeError, podPath } from '@cni/kube'
import { messageOf, printable } from '@cni/types'
import { keyOf, type ObservedPod } from '../pods/observed-pod.ts'
import type { Counter, RepairConfig, ScopedLog } from '../shared/deps.ts'

/** Action of the repair controller on broken pods, in this order of priority. */
export type Mode = 'repair' | 'delete' | 'label' | 'none'

/** Returns the repair controller's action that a configuration selects. */
export function modeOf({ repairPods, deletePods, labelPods }: RepairConfig): Mode {
  if (repairPods) return 'repair'
  if (deletePods) return 'delete'
  return labelPods ? 'label' : 'none'
}

/** Options of {@link reconciler}, which acts on broken pods. */
export interface ReconcilerOptions {
  readonly config: RepairConfig
  /** Creates the repair controller's Kubernetes client. Throws `KubeError`. */
  readonly connect: () => KubeClient
  readonly events: ReturnType<typeof eventRecorder>
  readonly pods: Counter
  readonly log: ScopedLog
  readonly signal: AbortSignal
  readonly repairInPlace: (pod: ObservedPod) => Promise<void>
}

/** Acts on broken pods: repairs, deletes or labels them. */
export interface Reconciler {
  /** Acts on a broken pod. Rejects if the caller has to retry. */
  act(pod: ObservedPod): Promise<void>
  /** Forgets the repair of a deleted pod, because a later pod may have the same name. */
  forget(key: string): void
}

/** Creates a {@link Reconciler} that repairs, deletes or labels broken pods, by the configuration. */
export function reconciler(options: ReconcilerOptions): Reconciler {
  const { config, connect, events, pods, log, signal } = options
  const mode = modeOf(config)
  const repaired = new Map<string, string>()

  return {
    async act(pod) {
      if (mode === 'repair') await repair(pod)
      if (mode === 'delete') await deletePod(pod)
      if (mode === 'label') await label(pod)
    },
    forget: (key) => void repaired.delete(key),
  }

  /** Repairs a pod only once, because the pod looks broken until its container restarts. */
  async function repair(pod: ObservedPod): Promise<void> {
    const key = keyOf(pod)
    if (repaired.get(key) === pod.uid) return
    await counted('repair', () => options.repairInPlace(pod))
    repaired.set(key, pod.uid)
    log.info('pod repaired', { pod: key })
  }

  async function deletePod(pod: ObservedPod): Promise<void> {
    await announced(pod, 'DeleteBrokenPod', ['deleted', 'delete'], () => connect().send(deleteRequest(pod), { signal }))
  }

  async function label(pod: ObservedPod): Promise<void> {
    const { brokenPodLabelKey: key, brokenPodLabelValue: value } = config
    if (Object.hasOwn(pod.labels, key)) {
      pods.inc({ type: 'label', result: 'skip' })
      log.debug('pod is labeled already', { pod: keyOf(pod) })
      return
    }
    await announced(pod, 'LabelBrokenPod', ['labeled', 'label'], () =>
      connect().send(labelRequest(pod, key, value), { signal }),
    )
  }

  async function announced(
    pod: ObservedPod,
    reason: 'DeleteBrokenPod' | 'LabelBrokenPod',
    [done, verb]: readonly [done: string, verb: 'delete' | 'label'],
    action: () => Promise<unknown>,
  ): Promise<void> {
    try {
      await counted(verb, action)
    } catch (error) {
      if (!signal.aborted)
        events.warn(pod, reason, `pod detected as broken, but failed to ${verb}: ${errorText(error)}`)
      throw error
    }
    log.info(`broken pod ${done}`, { pod: keyOf(pod) })
    events.warn(pod, reason, `pod detected as broken, ${done}`)
  }

  async function counted(type: Exclude<Mode, 'none'>, action: () => Promise<unknown>): Promise<void> {
    try {
      await action()
    } catch (error) {
      // An aborted repair is neither a success nor a failure, because the next agent retries the repair.
      if (!signal.aborted) pods.inc({ type, result: 'fail' })
      throw error
    }
    pods.inc({ type, result: 'success' })
  }
}

/** Deletes exactly the observed pod, because a new pod may have the same name. */
const deleteRequest = (pod: ObservedPod): KubeRequest => ({
  method: 'DELETE',
  path: podPath(pod),
  body: {
    type: 'application/json',
    document: {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      preconditions: { uid: pod.uid, resourceVersion: pod.resourceVersion },
    },
  },
})

/**
 * Labels a broken pod through the status subresource. Patching the status needs fewer permissions than patching the
 * pod.
 */
const labelRequest = (pod: ObservedPod, key: string, value: string): KubeRequest => ({
  method: 'PATCH',
  path: `${podPath(pod)}/status`,
  body: { type: 'application/merge-patch+json', document: { metadata: { labels: { [key]: value } } } },
})

/**
 * Returns an error's text for a Kubernetes event. Only the API server's message is public; addresses and file names are
 * not.
 */
function errorText(error: unknown): string {
  if (!isKubeError(error)) return printable(messageOf(error))
  return (
    error.said ??
    { NETWORK: 'the API server cannot be reached', TIMEOUT: 'no answer' }[error.code as string] ??
    'the API server gave no usable answer'
  )
}
