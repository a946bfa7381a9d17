import { randomUUID } from 'node:crypto'
import type { StoredPod } from './pods.ts'

/** A change of a pod, as a watch tells it. */
export interface PodChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: StoredPod
  readonly version: number
}

/** Pods with the versions and the history that watching them needs. */
export interface PodStore {
  /** The version of the latest change. */
  version(): number
  get(namespace: string, name: string): StoredPod | undefined
  all(): StoredPod[]
  /** Keeps the `uid` of a pod of that name, or gives it one. */
  set(pod: StoredPod): StoredPod
  delete(namespace: string, name: string): StoredPod | undefined
  /** `undefined`: that is too long ago. */
  since(version: number): readonly PodChange[] | undefined
  subscribe(listener: (change: PodChange) => void): () => void
  /** Forgets the history. */
  compact(): void
}

/** An empty store. */
export function podStore(): PodStore {
  const pods = new Map<string, StoredPod>()
  const listeners = new Set<(change: PodChange) => void>()
  let history: PodChange[] = []
  let version = 100
  let oldest = version

  const record = (type: PodChange['type'], pod: StoredPod): StoredPod => {
    version += 1
    const uid = pod.metadata.uid ?? pods.get(keyOf(pod))?.metadata.uid ?? randomUUID()
    const object = { ...pod, metadata: { ...pod.metadata, uid, resourceVersion: String(version) } }
    if (type === 'DELETED') pods.delete(keyOf(pod))
    else pods.set(keyOf(pod), object)
    const change = { type, object, version }
    history.push(change)
    for (const listener of listeners) listener(change)
    return object
  }

  return {
    version: () => version,
    get: (namespace, name) => pods.get(`${namespace}/${name}`),
    all: () => [...pods.values()],
    set: (pod) => record(pods.has(keyOf(pod)) ? 'MODIFIED' : 'ADDED', pod),
    delete(namespace, name) {
      const pod = pods.get(`${namespace}/${name}`)
      return pod && record('DELETED', pod)
    },
    since: (from) => (from < oldest ? undefined : history.filter((change) => change.version > from)),
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    compact() {
      history = []
      version += 1
      oldest = version
    },
  }
}

const keyOf = ({ metadata: { namespace, name } }: StoredPod): string => `${namespace}/${name}`
