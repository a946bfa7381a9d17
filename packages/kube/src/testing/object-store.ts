import { randomUUID } from 'node:crypto'

/** Object that the test API server stores: a pod or a namespace. */
export interface StoredObject {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly [more: string]: unknown
  }
}

/** Namespace object as the test API server stores it. */
export interface StoredNamespace extends StoredObject {
  readonly apiVersion: 'v1'
  readonly kind: 'Namespace'
}

/** Change of a stored object, as a watch reports it. */
export interface ObjectChange<T extends StoredObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: T
  readonly version: number
}

/** Store of the test API server for objects of one kind, with versions and history for watches. */
export interface ObjectStore<T extends StoredObject> {
  readonly kind: 'Pod' | 'Namespace'
  /** Returns the resource version of the store's latest change. */
  version(): number
  get(namespace: string, name: string): T | undefined
  all(): T[]
  /** Adds or changes an object. An existing object of that name keeps its `uid`. */
  set(object: T): T
  delete(namespace: string, name: string): T | undefined
  /** Changes of the store after a resource version; `undefined` if the history does not reach back that far. */
  since(version: number): readonly ObjectChange<T>[] | undefined
  subscribe(listener: (change: ObjectChange<T>) => void): () => void
  /** Drops the store's history of changes. */
  compact(): void
}

/** Creates an empty store of objects for the test API server. */
export function objectStore<T extends StoredObject>(kind: ObjectStore<T>['kind']): ObjectStore<T> {
  const objects = new Map<string, T>()
  const listeners = new Set<(change: ObjectChange<T>) => void>()
  let history: ObjectChange<T>[] = []
  let version = 100
  let oldest = version

  const record = (type: ObjectChange<T>['type'], given: T): T => {
    version += 1
    const uid = given.metadata.uid ?? objects.get(keyOf(given))?.metadata.uid ?? randomUUID()
    const object = { ...given, metadata: { ...given.metadata, uid, resourceVersion: String(version) } }
    if (type === 'DELETED') objects.delete(keyOf(given))
    else objects.set(keyOf(given), object)
    const change = { type, object, version }
    history.push(change)
    for (const listener of listeners) listener(change)
    return object
  }

  return {
    kind,
    version: () => version,
    get: (namespace, name) => objects.get(`${namespace}/${name}`),
    all: () => [...objects.values()],
    set: (object) => record(objects.has(keyOf(object)) ? 'MODIFIED' : 'ADDED', object),
    delete(namespace, name) {
      const object = objects.get(`${namespace}/${name}`)
      return object && record('DELETED', object)
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

const keyOf = ({ metadata: { namespace = '', name } }: StoredObject): string => `${namespace}/${name}`
