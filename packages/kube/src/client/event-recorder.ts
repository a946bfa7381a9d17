import { printable } from '@cni/types'
import { isKubeError } from '../kube-error.ts'
import type { KubeClient, KubeRequest } from './client.ts'

type EventRecorder = ReturnType<typeof eventRecorder>

type EventPod = Parameters<EventRecorder['warn']>[0]

interface Written {
  readonly name: string
  readonly firstTimestamp: string
  count: number
}

/**
 * Creates a recorder that writes Kubernetes events about pods one by one. `kubectl describe pod` shows these events.
 * Drops new events while 1000 are waiting.
 */
export function eventRecorder(options: {
  /** Creates a client with the current credentials, for each event. Throws `KubeError`. */
  readonly connect: () => KubeClient
  readonly signal: AbortSignal
  /** Called for each event that the recorder could not write. */
  readonly failed: (error: unknown) => void
  /** Current time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number
  /** Name of the program that reports the events, as `kubectl` shows it. */
  readonly component: string
}): {
  /**
   * Queues a warning event about a pod, and returns at once. `reason` is one word in CamelCase. A repeated warning
   * raises the event's count. An unknown `resourceVersion` of the pod is an empty string.
   */
  warn(
    pod: { readonly namespace: string; readonly name: string; readonly uid: string; readonly resourceVersion: string },
    reason: string,
    message: string,
  ): void
  /** Settles after all queued events are written or have failed. */
  idle(): Promise<void>
} {
  const { connect, signal, failed, now = Date.now, component } = options
  const written = new Map<string, Written>()
  let waiting = 0
  let tail: Promise<void> = Promise.resolve()
  let serial = 0

  return {
    warn(pod, reason, text) {
      const message = printable(text)
      if (waiting >= maxWaiting || signal.aborted) return
      waiting += 1
      tail = tail
        .then(() => write(pod, reason, message))
        .catch((error: unknown) => {
          if (!signal.aborted) failed(error)
        })
        .finally(() => {
          waiting -= 1
        })
    },
    idle: () => tail,
  }

  async function write(pod: EventPod, reason: string, message: string): Promise<void> {
    const key = JSON.stringify([pod.namespace, pod.name, pod.uid, reason, message])
    const at = new Date(now()).toISOString().replace(/\.\d+Z$/, 'Z')
    const before = written.get(key)
    if (before !== undefined) {
      const next = { ...before, count: before.count + 1 }
      if (await counted(pod.namespace, next, at)) return remember(key, next)
    }
    serial += 1
    const fresh = { name: eventName(pod.name, now(), serial), firstTimestamp: at, count: 1 }
    await connect().send(createRequest(pod, fresh, { component, reason, message, at }), { signal })
    remember(key, fresh)
  }

  /** Raises the count of an existing event. Returns false if the event has expired. */
  async function counted(namespace: string, { name, count }: Written, at: string): Promise<boolean> {
    try {
      await connect().send(countRequest(namespace, name, { count, lastTimestamp: at }), { signal })
      return true
    } catch (error) {
      if (isKubeError(error) && error.status === 404) return false
      throw error
    }
  }

  function remember(key: string, event: Written): void {
    written.delete(key)
    written.set(key, event)
    const [oldest] = written.keys()
    if (written.size > maxRemembered && oldest !== undefined) written.delete(oldest)
  }
}

interface Said {
  readonly component: string
  readonly reason: string
  readonly message: string
  readonly at: string
}

const maxWaiting = 1000
const maxRemembered = 4096

const eventsPath = (namespace: string): string => `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`

const createRequest = (
  { namespace, name: podName, uid, resourceVersion }: EventPod,
  { name, firstTimestamp, count }: Written,
  { component, reason, message, at }: Said,
): KubeRequest => ({
  method: 'POST',
  path: eventsPath(namespace),
  body: {
    type: 'application/json',
    document: {
      kind: 'Event',
      apiVersion: 'v1',
      metadata: { name, namespace },
      involvedObject: { kind: 'Pod', namespace, name: podName, uid, apiVersion: 'v1', resourceVersion },
      reason,
      message,
      source: { component },
      firstTimestamp,
      lastTimestamp: at,
      count,
      type: 'Warning',
      reportingComponent: component,
      reportingInstance: '',
    },
  },
})

const countRequest = (namespace: string, name: string, document: object): KubeRequest => ({
  method: 'PATCH',
  path: `${eventsPath(namespace)}/${encodeURIComponent(name)}`,
  body: { type: 'application/merge-patch+json', document },
})

/** Builds the name of a new event, as in all Kubernetes clients: `<pod>.<nanoseconds in hex>`. */
function eventName(pod: string, ms: number, serial: number): string {
  const suffix = `.${(BigInt(ms) * 1_000_000n + BigInt(serial)).toString(16)}`
  return `${pod.slice(0, 253 - suffix.length).replace(/[.-]+$/, '')}${suffix}`
}
