import type { PodIdentity } from '@cni/istio-rules'
import { type PodInfo, podInfo } from '@cni/istio-rules'
import { type Observer, parsePod, watchStore } from '@cni/kube'
import { keyOf, observePod } from './observed-pod.ts'

/** The pod that a runtime is starting: name, namespace and UID. */
export interface WantedPod extends PodIdentity {
  readonly uid: string
}

/** What a watch has told of pods, as far as the plugin's decision needs it. */
export interface PodCache {
  /** Keeps what it is told. */
  readonly observer: Observer
  /** The pod, if exactly that one is known and the watch is live. */
  find(pod: WantedPod): PodInfo | undefined
  /** Like {@link PodCache.find}; a watch that works has this long, in milliseconds, to bring the pod. */
  waitFor(pod: WantedPod, ms: number): Promise<PodInfo | undefined>
  /** Why the watch is not live; `undefined` when it is. */
  problem(): string | undefined
  size(): number
}

/** Bounds of a {@link podCache}, and for tests its clock. */
export interface PodCacheOptions {
  /** Of more, those that changed longest ago are left out. Default 2000; kubelet takes 110 unless told otherwise. */
  readonly maxPods?: number
  /** Characters in all. Default 4 Mi. */
  readonly maxChars?: number
  /** Characters of one pod; one that says more is asked for when it starts. Default 64 Ki. */
  readonly maxPodChars?: number
  /** Milliseconds. */
  readonly now?: () => number
}

interface Entry {
  readonly uid: string
  /** `undefined`: it says too much to be kept. */
  readonly pod: PodInfo | undefined
  readonly chars: number
}

/** How long ago the watch may have said something, in milliseconds; servers send a bookmark every minute. */
const LIVE_MS = 60_000

/** An empty cache. Nothing in it counts before the first list is complete. */
export function podCache(options: PodCacheOptions = {}): PodCache {
  const { maxPods = 2000, maxChars = 4 * 1024 * 1024, maxPodChars = 64 * 1024 } = options
  const { now = () => performance.now() } = options
  let chars = 0
  const store = watchStore<Entry>({
    keep: (object) => entryOf(object, maxPodChars),
    changed(_, before, after) {
      chars += (after?.chars ?? 0) - (before?.chars ?? 0)
      if (after !== undefined) leaveOutOldest()
    },
    now,
  })
  const leaveOutOldest = (): void => {
    for (const key of store.keys()) {
      if (store.size() <= maxPods && chars <= maxChars) return
      store.forget(key)
    }
  }
  const problem = (): string | undefined => {
    const silent = store.silentMs()
    if (store.failure() !== undefined) return store.failure()?.message
    if (silent === undefined) return 'the pods of the node are not listed yet'
    return silent <= LIVE_MS ? undefined : `the watch of pods is silent for ${Math.round(silent / 1000)} s`
  }
  const known = (pod: WantedPod): Entry | undefined => {
    const entry = store.get(keyOf(pod))
    return entry?.uid === pod.uid ? entry : undefined
  }
  const find = (pod: WantedPod): PodInfo | undefined => (problem() === undefined ? known(pod)?.pod : undefined)

  return {
    observer: store,
    find,
    problem,
    size: store.size,
    async waitFor(pod, ms) {
      const found = find(pod)
      // A watch that is cut brings nothing, and one that is silent not what it brought already.
      const isHopeless = store.failure() !== undefined || known(pod) !== undefined
      if (found !== undefined || isHopeless) return found
      return store.until(() => find(pod), AbortSignal.timeout(ms)).catch(() => undefined)
    },
  }
}

/** `null`: the plugin could not read the pod. */
function entryOf(object: unknown, maxChars: number): Entry | null | undefined {
  const seen = observePod(object)
  if (seen === undefined) return undefined
  try {
    const pod = deciding(podInfo(parsePod(object, seen)))
    const chars = charsOf(pod)
    // One pod must not push out the others.
    return chars > maxChars ? { uid: seen.uid, pod: undefined, chars: 0 } : { uid: seen.uid, pod, chars }
  } catch {
    // Whoever starts it asks for it, and is told what is wrong.
    return null
  }
}

/** What decisions need: nothing of what others keep in labels, annotations and variables. */
const deciding = (pod: PodInfo): PodInfo => ({
  ...pod,
  labels: chosen(pod.labels, ofIstio),
  annotations: chosen(pod.annotations, ofIstio),
  proxyEnv: chosen(pod.proxyEnv, proxyVariable),
})

const chosen = (record: Readonly<Record<string, string>>, names: RegExp): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => names.test(name)))

const ofIstio = /^(?:[^/]+\.)?istio\.io\//
const proxyVariable = /^(?:ISTIO_|DISABLE_ENVOY$|INVALID_DROP$)/

const charsOf = ({ containers, labels, annotations, proxyEnv }: PodInfo): number =>
  [...containers, ...[labels, annotations, proxyEnv].flatMap((record) => Object.entries(record).flat())].reduce(
    (sum, text) => sum + text.length,
    0,
  )
