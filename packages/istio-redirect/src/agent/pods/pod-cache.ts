import type { PodIdentity } from '@cni/istio-rules'
import { type PodInfo, podInfo } from '@cni/istio-rules'
import type { Observer } from '@cni/kube'
import { parsePod } from '@cni/kube'
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
  /** What changed longest ago comes first. */
  const entries = new Map<string, Entry>()
  const waiting = new Set<() => void>()
  let chars = 0
  let seen: Set<string> | undefined
  /** `undefined`: no list was complete yet. */
  let saidAt: number | undefined
  let failure: string | undefined

  const remove = (key: string): void => {
    chars -= entries.get(key)?.chars ?? 0
    entries.delete(key)
  }
  const keep = (key: string, entry: Entry): void => {
    remove(key)
    // One pod must not push out the others.
    const kept = entry.chars > maxPodChars ? { ...entry, pod: undefined, chars: 0 } : entry
    entries.set(key, kept)
    chars += kept.chars
    for (const oldest of entries.keys()) {
      if (entries.size <= maxPods && chars <= maxChars) break
      remove(oldest)
    }
  }
  const find = (pod: WantedPod): PodInfo | undefined => {
    const entry = entries.get(keyOf(pod))
    return entry?.uid === pod.uid && problem() === undefined ? entry.pod : undefined
  }
  const problem = (): string | undefined => {
    if (failure !== undefined) return failure
    if (saidAt === undefined) return 'the pods of the node are not listed yet'
    const silent = now() - saidAt
    return silent <= LIVE_MS ? undefined : `the watch of pods is silent for ${Math.round(silent / 1000)} s`
  }
  const say = (): void => {
    saidAt = now()
    failure = undefined
    for (const look of [...waiting]) look()
  }

  const observer: Observer = {
    listing() {
      seen = new Set()
    },
    present(object) {
      const read = entryOf(object)
      if (read === undefined) return
      const [key, entry] = read
      seen?.add(key)
      if (entry === undefined) remove(key)
      else keep(key, entry)
    },
    listed() {
      for (const key of entries.keys()) if (seen?.has(key) === false) remove(key)
      seen = undefined
      say()
    },
    gone(object) {
      const pod = observePod(object)
      if (pod !== undefined && entries.get(keyOf(pod))?.uid === pod.uid) remove(keyOf(pod))
    },
    alive() {
      // Without a list before it, an event says nothing of what is missing.
      if (saidAt !== undefined) say()
    },
    failed(error) {
      failure = error.message
    },
  }

  return {
    observer,
    find,
    problem,
    size: () => entries.size,
    async waitFor(pod, ms) {
      const found = find(pod)
      // A watch that is cut brings nothing, and one that is silent not what it brought already.
      const isHopeless = failure !== undefined || entries.get(keyOf(pod))?.uid === pod.uid
      if (found !== undefined || isHopeless) return found
      return new Promise((resolve) => {
        const end = (result: PodInfo | undefined): void => {
          clearTimeout(timer)
          waiting.delete(look)
          resolve(result)
        }
        const look = (): void => {
          const brought = find(pod)
          if (brought !== undefined) end(brought)
        }
        const timer = setTimeout(() => end(undefined), ms)
        waiting.add(look)
      })
    },
  }
}

/** Key and entry of a pod, without the entry when the plugin could not read it; nothing for what is no pod at all. */
function entryOf(object: unknown): readonly [key: string, entry: Entry | undefined] | undefined {
  const seen = observePod(object)
  if (seen === undefined) return undefined
  const key = keyOf(seen)
  try {
    const pod = deciding(podInfo(parsePod(object, seen)))
    return [key, { uid: seen.uid, pod, chars: charsOf(pod) }]
  } catch {
    // Whoever starts it asks for it, and is told what is wrong.
    return [key, undefined]
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
