import type { Netns } from '@cni/netns'
import { DiscoveryError } from '../../proc/discovery-error.ts'
import {
  identityOf,
  type NamespaceIdentity,
  namespaceKey,
  nodeNamespace,
  reservedNamespaces,
} from '../../proc/namespace-identity.ts'

/** Names of a pod and of its service account, which the agent sends to ztunnel with the pod's network namespace. */
export interface Workload {
  readonly name: string
  readonly namespace: string
  readonly serviceAccount: string
}

/**
 * Counted reference to an open network namespace in the cache. The namespace stays open until the reference is disposed
 * of, even after the cache has removed the pod.
 */
export interface NetnsLease extends Disposable {
  readonly netns: Netns
}

/** Counted reference to an open network namespace, with the inode number and cookie of the namespace. */
export interface IdentifiedLease extends NetnsLease {
  readonly identity: NamespaceIdentity
}

/** Pod in the cache of open namespaces, with a counted reference to the pod's namespace. */
export interface KnownPod {
  readonly uid: string
  readonly workload: Workload
  /** Counted reference to the pod's open namespace. `undefined` if no namespace of the pod was found. */
  readonly lease: NetnsLease | undefined
}

/** Cache of the pods in the mesh and their open network namespaces, with one descriptor for each namespace. */
export interface NetnsCache extends Disposable {
  /**
   * Adds a pod to the cache, or updates the pod's names. A new pod has no namespace yet. An existing pod keeps its
   * namespace.
   */
  know(uid: string, workload: Workload): void
  /**
   * Stores the open namespace of a pod. From then on, the cache owns the handle and closes it.
   *
   * If the cache already has this namespace for the pod, the new handle is closed. If the cache has another namespace
   * for the pod, the new namespace replaces it.
   *
   * @throws {@link DiscoveryError} if the handle is the namespace of the node or of the agent. Such a handle is closed
   *   and not stored.
   */
  keep(uid: string, workload: Workload, netns: Netns): void
  has(uid: string): boolean
  /**
   * Returns a counted reference to the pod's open namespace, which the caller disposes of. Returns `undefined` if the
   * cache does not know the pod, or has no namespace of the pod.
   */
  lease(uid: string): IdentifiedLease | undefined
  /** Key of the pod's open namespace, as `dev:ino` (device and inode number). */
  keyOf(uid: string): string | undefined
  /**
   * UID of the cached pod for each namespace key (`dev:ino`). The cache holds the namespaces open, so the kernel does
   * not reuse their inode numbers.
   */
  holders(): ReadonlyMap<string, string>
  /**
   * All pods in the cache, each with a counted reference to the pod's open namespace. The caller disposes of every
   * reference.
   */
  snapshot(): KnownPod[]
  /** Removes a pod from the cache. The pod's namespace is closed after the last reference to it is disposed of. */
  forget(uid: string): boolean
  readonly size: number
}

/**
 * Creates a cache of open namespaces, initially without pods.
 *
 * @param hostProc - procfs of the node. It shows the node's own namespace, which the cache refuses for pods
 * @throws {@link DiscoveryError} if the node's own namespace is unknown.
 */
export function netnsCache(hostProc: string): NetnsCache {
  const pods = new Map<string, { readonly workload: Workload; readonly held: Held | undefined }>()
  nodeNamespace(hostProc)
  const forget = (uid: string): boolean => {
    pods.get(uid)?.held?.release()
    return pods.delete(uid)
  }
  return {
    know: (uid, workload) => void pods.set(uid, { workload, held: pods.get(uid)?.held }),
    keep(uid, workload, netns) {
      const before = pods.get(uid)?.held
      if (before?.netns.isSame(netns)) {
        if (before.netns !== netns) netns.close()
        pods.set(uid, { workload, held: before })
        return
      }
      refuseReserved(hostProc, workload, netns)
      pods.set(uid, { workload, held: new Held(netns) })
      before?.release()
    },
    has: (uid) => pods.has(uid),
    lease: (uid) => pods.get(uid)?.held?.lease(),
    keyOf(uid) {
      const identity = pods.get(uid)?.held?.identity
      return identity && namespaceKey(identity)
    },
    holders() {
      const found = new Map<string, string>()
      for (const [uid, { held }] of pods) if (held !== undefined) found.set(namespaceKey(held.identity), uid)
      return found
    },
    snapshot: () => [...pods].map(([uid, { workload, held }]) => ({ uid, workload, lease: held?.lease() })),
    forget,
    get size() {
      return pods.size
    },
    [Symbol.dispose]() {
      for (const uid of [...pods.keys()]) forget(uid)
    },
  }
}

// internal

/**
 * Refuses the namespaces of the node and of the agent as namespaces of a pod, because ztunnel accepts them. Redirection
 * rules in these namespaces would affect the node or the agent.
 */
function refuseReserved(hostProc: string, { namespace, name }: Workload, netns: Netns): void {
  let isReserved = true
  let isNode = false
  try {
    const key = namespaceKey(netns)
    isNode = key === nodeNamespace(hostProc)
    isReserved = reservedNamespaces(hostProc).has(key)
  } finally {
    if (isReserved) netns.close()
  }
  if (!isReserved) return
  const whose = isNode ? 'the node itself' : 'the agent'
  throw new DiscoveryError(`pod ${namespace}/${name}: ${netns.path} is the network namespace of ${whose}`)
}

/** Open network namespace with a reference count. The last user closes it. */
class Held {
  readonly netns: Netns
  readonly identity: NamespaceIdentity
  #users = 1

  constructor(netns: Netns) {
    this.netns = netns
    this.identity = identityOf(netns)
  }

  lease(): IdentifiedLease {
    this.#users += 1
    let held = true
    return {
      netns: this.netns,
      identity: this.identity,
      [Symbol.dispose]: () => {
        if (held) this.release()
        held = false
      },
    }
  }

  release(): void {
    this.#users -= 1
    if (this.#users === 0) this.netns.close()
  }
}
