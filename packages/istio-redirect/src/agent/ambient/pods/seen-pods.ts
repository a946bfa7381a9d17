import type { Labels, PodIdentity, RedirectionStatus } from '@cni/istio-rules'
import { type AmbientPod, readAmbientPod } from '@cni/istio-rules'
import type { Observer } from '@cni/kube'
import { isObject } from '@cni/types'
import { redirectionAnnotation } from './annotation.ts'
import type { PodSituation } from './next-step.ts'
import { slimLabels, slimPod } from './slim-pod.ts'

/** The pods of a node and the namespaces of the cluster, as two watches tell of them. */
export interface SeenPods {
  /** To be told of pods, and of namespaces. */
  readonly pods: Observer
  readonly namespaces: Observer
  /** The pod of this name that was not deleted. */
  find(who: PodIdentity): AmbientPod | undefined
  /** What is known of a pod, also of one that was deleted and not forgotten yet. */
  situationOf(uid: string): Omit<PodSituation, 'reached'> | undefined
  namespaceLabels(name: string): Labels | undefined
  /** All that were not deleted. */
  all(): AmbientPod[]
  /**
   * Says what was written into a pod's annotation, and which version that made of it: until the watch has come so far, what
   * it tells of the annotation is old.
   */
  wrote(uid: string, status: RedirectionStatus | undefined, version: string | undefined): void
  /** Forgets a pod that was deleted. */
  forget(uid: string): void
  /** What is not known yet, or why a watch does not work; `undefined` when all is well. */
  problem(): string | undefined
  /** Settles when both watches have told of everything once; rejects with the signal's reason. */
  listed(signal: AbortSignal): Promise<void>
}

/** Who is told what {@link seenPods} learns. */
export interface SeenPodsOptions {
  /** A pod is new, or it changed, or was deleted. */
  readonly changed: (uid: string) => void
  /** A namespace is new, or its labels changed. */
  readonly relabelled: (name: string, before: Labels | undefined, after: Labels) => void
  /** What was told is no pod, or no namespace. */
  readonly malformed: () => void
  /** Milliseconds. */
  readonly now?: (() => number) | undefined
}

/** How long what a watch tells may be older than what was written. */
const LAG_MS = 10_000

/** Nothing is known yet. */
export function seenPods({ changed, relabelled, malformed, now = () => performance.now() }: SeenPodsOptions): SeenPods {
  const pods = new Map<string, Seen>()
  const byName = new Map<string, string>()
  const namespaces = new Map<string, Labels>()
  const lists = { pods: watchState('the pods of this node'), namespaces: watchState('the namespaces') }
  const waiting = new Set<() => void>()
  const told = (state: WatchState): void => {
    state.worked()
    for (const look of [...waiting]) look()
  }
  const isListed = (): boolean => lists.pods.isListed() && lists.namespaces.isListed()

  const present = (pod: AmbientPod, version: string): void => {
    const before = pods.get(pod.uid)
    const name = `${pod.namespace}/${pod.name}`
    const former = byName.get(name)
    // A name is given again as soon as its pod is gone: the watch need not have said so.
    if (former !== undefined && former !== pod.uid) remove(former)
    byName.set(name, pod.uid)
    const written = before?.written
    const isOld = written !== undefined && written.version !== version && now() - written.at < LAG_MS
    const seen = isOld ? withStatus(pod, written.status) : pod
    const versions = [version, ...(before?.versions ?? [])].slice(0, VERSIONS)
    pods.set(pod.uid, { pod: seen, deleted: false, written: isOld ? written : undefined, versions })
    changed(pod.uid)
  }
  const remove = (uid: string): void => {
    const seen = pods.get(uid)
    if (seen === undefined || seen.deleted) return
    const name = `${seen.pod.namespace}/${seen.pod.name}`
    if (byName.get(name) === uid) byName.delete(name)
    pods.set(uid, { ...seen, deleted: true })
    changed(uid)
  }
  const label = (name: string, labels: Labels): void => {
    const before = namespaces.get(name)
    namespaces.set(name, labels)
    relabelled(name, before, labels)
  }

  return {
    pods: watched(lists.pods, {
      key: (object) => readAmbientPod(object)?.uid,
      present(object) {
        const pod = readAmbientPod(object)
        if (pod === undefined) return malformed()
        present(slimPod(pod), versionOf(object))
      },
      known: () => [...pods].flatMap(([uid, { deleted }]) => (deleted ? [] : [uid])),
      gone: remove,
      told,
    }),
    namespaces: watched(lists.namespaces, {
      key: (object) => readNamespace(object)?.name,
      present(object) {
        const read = readNamespace(object)
        if (read === undefined) return malformed()
        label(read.name, slimLabels(read.labels))
      },
      known: () => [...namespaces.keys()],
      gone: (name) => void namespaces.delete(name),
      told,
    }),
    find({ namespace, name }) {
      const uid = byName.get(`${namespace}/${name}`)
      return uid === undefined ? undefined : pods.get(uid)?.pod
    },
    situationOf(uid) {
      const seen = pods.get(uid)
      if (seen === undefined) return undefined
      return { pod: seen.pod, deleted: seen.deleted, namespaceLabels: namespaces.get(seen.pod.namespace) }
    },
    namespaceLabels: (name) => namespaces.get(name),
    all: () => [...pods.values()].flatMap(({ pod, deleted }) => (deleted ? [] : [pod])),
    wrote(uid, status, version) {
      const seen = pods.get(uid)
      if (seen === undefined) return
      // The watch was faster than the answer, and may have told of later changes, too.
      if (version !== undefined && seen.versions.includes(version)) return
      const written = { status, version, at: now() }
      pods.set(uid, { ...seen, pod: withStatus(seen.pod, status), written })
    },
    forget(uid) {
      if (pods.get(uid)?.deleted) pods.delete(uid)
    },
    problem: () => lists.pods.problem() ?? lists.namespaces.problem(),
    listed: (signal) =>
      new Promise((resolve, reject) => {
        const end = (settle: () => void): void => {
          waiting.delete(look)
          signal.removeEventListener('abort', abort)
          settle()
        }
        const look = (): void => {
          if (isListed()) end(resolve)
        }
        const abort = (): void => end(() => reject(signal.reason))
        signal.addEventListener('abort', abort)
        waiting.add(look)
        if (signal.aborted) abort()
        else look()
      }),
  }
}

// internal

/** More than a pod has while one request is answered. */
const VERSIONS = 8

interface Seen {
  readonly pod: AmbientPod
  readonly deleted: boolean
  /** Those that the watch told last, the latest first. */
  readonly versions: readonly string[]
  readonly written:
    | { readonly status: RedirectionStatus | undefined; readonly version: string | undefined; readonly at: number }
    | undefined
}

interface WatchState {
  isListed(): boolean
  listed(): void
  worked(): void
  failed(message: string): void
  problem(): string | undefined
}

function watchState(what: string): WatchState {
  let isListed = false
  let failure: string | undefined
  return {
    isListed: () => isListed,
    listed() {
      isListed = true
    },
    worked() {
      failure = undefined
    },
    failed(message) {
      failure = message
    },
    problem() {
      if (failure !== undefined) return `${what} cannot be watched: ${failure}`
      return isListed ? undefined : `${what} are not listed yet`
    },
  }
}

interface Watched {
  readonly key: (object: unknown) => string | undefined
  readonly present: (object: unknown) => void
  readonly known: () => readonly string[]
  readonly gone: (key: string) => void
  readonly told: (state: WatchState) => void
}

/** What is known and not in a list has gone while nobody watched. */
function watched(state: WatchState, { key, present, known, gone, told }: Watched): Observer {
  let listing: Set<string> | undefined
  return {
    listing() {
      listing = new Set()
    },
    present(object) {
      const found = listing === undefined ? undefined : key(object)
      if (found !== undefined) listing?.add(found)
      present(object)
    },
    listed() {
      for (const each of known()) if (listing?.has(each) === false) gone(each)
      listing = undefined
      state.listed()
      told(state)
    },
    gone(object) {
      const found = key(object)
      if (found !== undefined) gone(found)
    },
    alive: () => told(state),
    failed: (error) => state.failed(error.message),
  }
}

const versionOf = (object: unknown): string => {
  const { metadata } = record(object)
  const { resourceVersion } = record(metadata)
  return typeof resourceVersion === 'string' ? resourceVersion : ''
}

function readNamespace(object: unknown): { readonly name: string; readonly labels: Labels } | undefined {
  const { name, labels } = record(record(object).metadata)
  if (typeof name !== 'string' || name === '') return undefined
  const texts = Object.entries(record(labels)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  return { name, labels: Object.fromEntries(texts) }
}

function withStatus(pod: AmbientPod, status: RedirectionStatus | undefined): AmbientPod {
  const { [redirectionAnnotation]: _, ...others } = pod.annotations
  return { ...pod, annotations: status === undefined ? others : { ...others, [redirectionAnnotation]: status } }
}

const record = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {})
