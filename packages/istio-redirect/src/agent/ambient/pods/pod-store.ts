import type { Labels, PodIdentity, RedirectionStatus } from '@cni/istio-rules'
import { type AmbientPod, readAmbientPod } from '@cni/istio-rules'
import { type Observer, type WatchStore, watchStore } from '@cni/kube'
import { isObject } from '@cni/types'
import { redirectionAnnotation } from './annotation.ts'
import type { PodSituation } from './next-step.ts'
import { slimLabels, slimPod } from './slim-pod.ts'

/** Store of the node's pods and the cluster's namespaces. Two watches of the API server update the store. */
export interface PodStore {
  /** Observer that fills the store. The watch of the node's pods calls this observer. */
  readonly pods: Observer
  readonly namespaces: Observer
  /** Finds the existing (not deleted) pod with this namespace and name. */
  find(who: PodIdentity): AmbientPod | undefined
  /** Returns the known facts about a pod, also about a deleted pod until `forget` is called. */
  situationOf(uid: string): Omit<PodSituation, 'reached'> | undefined
  namespaceLabels(name: string): Labels | undefined
  /** Lists all pods of the node that are not deleted. */
  all(): AmbientPod[]
  /** Records an annotation written by the agent, so that the store ignores the pod's older versions. */
  wrote(uid: string, status: RedirectionStatus | undefined, version: string | undefined): void
  /** Removes a deleted pod from the store. */
  forget(uid: string): void
  /** Returns the reason why the store may lack pods or namespaces, if any. */
  problem(): string | undefined
  /** Resolves when the API server has listed all pods and namespaces once. Rejects with the signal's reason. */
  listed(signal: AbortSignal): Promise<void>
}

/** Options of {@link podStore}: functions that are called after changes of pods and namespaces. */
export interface PodStoreOptions {
  /** Called for each new, changed or deleted pod of the node. */
  readonly changed: (uid: string) => void
  /** Called for each new Kubernetes namespace and each change of a namespace's labels. */
  readonly relabelled: (name: string, before: Labels | undefined, after: Labels) => void
  /** Called for each object of a watch that is neither a valid pod nor a valid namespace. */
  readonly malformed: () => void
}

/** Creates a store of pods and namespaces, initially empty. */
export function podStore({ changed, relabelled, malformed }: PodStoreOptions): PodStore {
  /** Map from UIDs to keys (`namespace/name`) of the pods in the store. */
  const keys = new Map<string, string>()
  const deleted = new Map<string, AmbientPod>()
  const pods = watchStore<AmbientPod>({
    keep(object) {
      const pod = readAmbientPod(object)
      return pod && slimPod(pod)
    },
    changed(key, before, after) {
      if (after !== undefined) {
        keys.set(after.uid, key)
        deleted.delete(after.uid)
        changed(after.uid)
      } else if (before !== undefined) {
        keys.delete(before.uid)
        deleted.set(before.uid, before)
        changed(before.uid)
      }
    },
    malformed,
  })
  const namespaces = watchStore<{ readonly labels: Labels }>({
    keep: readNamespace,
    changed(name, before, after) {
      if (after !== undefined) relabelled(name, before?.labels, after.labels)
    },
    malformed,
  })
  const present = (uid: string): AmbientPod | undefined => pods.get(keys.get(uid) ?? '')
  const namespaceLabels = (name: string): Labels | undefined => namespaces.get(name)?.labels

  return {
    pods,
    namespaces,
    find: ({ namespace, name }) => pods.get(`${namespace}/${name}`),
    situationOf(uid) {
      const pod = present(uid) ?? deleted.get(uid)
      return pod && { pod, deleted: deleted.has(uid), namespaceLabels: namespaceLabels(pod.namespace) }
    },
    namespaceLabels,
    all: () => [...pods.values()],
    wrote: (uid, status, version) => pods.wrote(keys.get(uid) ?? '', (pod) => withStatus(pod, status), version),
    forget: (uid) => void deleted.delete(uid),
    problem: () => problemOf(pods, 'the pods of this node') ?? problemOf(namespaces, 'the namespaces'),
    async listed(signal) {
      await Promise.all([pods, namespaces].map(({ isListed, until }) => until(() => isListed() || undefined, signal)))
    },
  }
}

// internal

function problemOf({ failure, isListed }: WatchStore<object>, what: string): string | undefined {
  const error = failure()
  if (error !== undefined) return `cannot watch ${what}: ${error.message}`
  return isListed() ? undefined : `${what} are not listed yet`
}

function readNamespace(object: unknown): { readonly labels: Labels } {
  const { labels } = record(record(object).metadata)
  const texts = Object.entries(record(labels)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  return { labels: slimLabels(Object.fromEntries(texts)) }
}

function withStatus(pod: AmbientPod, status: RedirectionStatus | undefined): AmbientPod {
  const { [redirectionAnnotation]: _, ...others } = pod.annotations
  return { ...pod, annotations: status === undefined ? others : { ...others, [redirectionAnnotation]: status } }
}

const record = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {})
