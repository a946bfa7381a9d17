import type { PodIdentity } from '@cni/istio-rules'
import { type PodInfo, podInfo } from '@cni/istio-rules'
import { type Observer, parsePod, watchStore } from '@cni/kube'
import { keyOf, observePod } from './observed-pod.ts'

/** Pod that a container runtime is starting, identified by its UID. */
export interface StartingPod extends PodIdentity {
  readonly uid: string
}

/** Cache of the pods that the agent watches. Keeps only the members that the plugin's decision reads. */
export interface PodCache {
  /** Observer that fills the cache from a pod watch. */
  readonly observer: Observer
  /** Returns the cached pod with the UID. Returns `undefined` while the watch is not live. */
  find(pod: StartingPod): PodInfo | undefined
  /** Returns the pod like {@link PodCache.find}, but waits for the API server's watch. */
  waitFor(pod: StartingPod, ms: number): Promise<PodInfo | undefined>
  /** Returns the reason why the API server's watch of pods is not live. `undefined` if it is live. */
  problem(): string | undefined
  size(): number
}

/** Limits of the pod cache {@link podCache}, and its clock. */
export interface PodCacheOptions {
  /** Maximal number of cached pods. Default 2000. Pods with the oldest changes are dropped. */
  readonly maxPods?: number
  /** Maximal number of characters of all cached pods together. Default 4 Mi. */
  readonly maxChars?: number
  /**
   * Maximal number of characters of one cached pod. Default 64 Ki. The agent requests larger pods from the API server.
   */
  readonly maxPodChars?: number
  /** Monotonic clock of the pod cache in milliseconds. Tests replace it. */
  readonly now?: () => number
}

interface Entry {
  readonly uid: string
  /** Members of the pod that affect the plugin's decision. `undefined` if the pod is too large for the cache. */
  readonly pod: PodInfo | undefined
  readonly chars: number
}

/** Maximal time without an event of a live watch, in milliseconds. API servers send a bookmark event every minute. */
const LIVE_MS = 60_000

/** Creates an empty pod cache. `find` returns pods only after the API server has sent the first list completely. */
export function podCache(options: PodCacheOptions = {}): PodCache {
  const { maxPods = 2000, maxChars = 4 * 1024 * 1024, maxPodChars = 64 * 1024 } = options
  const { now = () => performance.now() } = options
  let chars = 0
  const store = watchStore<Entry>({
    keep: (object) => entryOf(object, maxPodChars),
    changed(_, before, after) {
      chars += (after?.chars ?? 0) - (before?.chars ?? 0)
      if (after !== undefined) evictOldest()
    },
    now,
  })
  const evictOldest = (): void => {
    for (const key of store.keys()) {
      if (store.size() <= maxPods && chars <= maxChars) return
      store.forget(key)
    }
  }
  const problem = (): string | undefined => {
    const silent = store.silentMs()
    if (store.failure() !== undefined) return store.failure()?.message
    if (silent === undefined) return 'the pods of the node are not listed yet'
    return silent <= LIVE_MS ? undefined : `the watch of pods has been silent for ${Math.round(silent / 1000)} s`
  }
  const known = (pod: StartingPod): Entry | undefined => {
    const entry = store.get(keyOf(pod))
    return entry?.uid === pod.uid ? entry : undefined
  }
  const find = (pod: StartingPod): PodInfo | undefined => (problem() === undefined ? known(pod)?.pod : undefined)

  return {
    observer: store,
    find,
    problem,
    size: store.size,
    async waitFor(pod, ms) {
      const found = find(pod)
      // Waiting cannot help if the watch has failed or has already delivered this pod.
      const isHopeless = store.failure() !== undefined || known(pod) !== undefined
      if (found !== undefined || isHopeless) return found
      return store.until(() => find(pod), AbortSignal.timeout(ms)).catch(() => undefined)
    },
  }
}

/** Builds the cache's item for a pod document. `null` for pods that the plugin cannot parse. */
function entryOf(object: unknown, maxChars: number): Entry | null | undefined {
  const seen = observePod(object)
  if (seen === undefined) return undefined
  try {
    const pod = slimPodInfo(podInfo(parsePod(object, seen)))
    const chars = charsOf(pod)
    // Caches only the UID of a large pod, because large pods would fill the cache.
    return chars > maxChars ? { uid: seen.uid, pod: undefined, chars: 0 } : { uid: seen.uid, pod, chars }
  } catch {
    // Does not cache an invalid pod. The API request at the pod's start reports the error.
    return null
  }
}

/** Drops a pod's labels, annotations and environment variables that do not affect the plugin's decision. */
const slimPodInfo = (pod: PodInfo): PodInfo => ({
  ...pod,
  labels: pick(pod.labels, ofIstio),
  annotations: pick(pod.annotations, ofIstio),
  proxyEnv: pick(pod.proxyEnv, proxyVariable),
})

const pick = (record: Readonly<Record<string, string>>, names: RegExp): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => names.test(name)))

const ofIstio = /^(?:[^/]+\.)?istio\.io\//
const proxyVariable = /^(?:ISTIO_|DISABLE_ENVOY$|INVALID_DROP$)/

const charsOf = ({ containers, labels, annotations, proxyEnv }: PodInfo): number =>
  [...containers, ...[labels, annotations, proxyEnv].flatMap((record) => Object.entries(record).flat())].reduce(
    (sum, text) => sum + text.length,
    0,
  )
