import type { Netns } from '@cni/netns'
import type { WorkloadInfo } from '../../../zds/wire.ts'
import { DiscoveryError } from '../../proc/discovery-error.ts'
import {
  identityOf,
  type NamespaceIdentity,
  namespaceKey,
  nodeNamespace,
  reservedNamespaces,
} from '../../proc/namespace-identity.ts'

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
  readonly workload: WorkloadInfo
  /** Counted reference to the pod's open namespace. `undefined` if no namespace of the pod was found. */
  readonly lease: NetnsLease | undefined
}

/** Cache of the pods in the mesh and their open network namespaces, with one descriptor for each namespace. */
export interface NetnsCache extends Disposable {
  /**
   * Adds a pod to the cache, or updates the pod's names. A new pod has no namespace yet. An existing pod keeps its
   * namespace.
   */
  add(uid: string, workload: WorkloadInfo): void
  /**
   * Stores the open namespace of a pod. The cache owns the handle from now on.
   *
   * @throws {@link DiscoveryError} if the handle is the namespace of the node or of the agent. Such a handle is closed
   *   and not stored.
   */
  setNetns(uid: string, workload: WorkloadInfo, netns: Netns): void
  has(uid: string): boolean
  /** Returns a counted reference to the pod's open namespace, if any. The caller disposes of the reference. */
  lease(uid: string): IdentifiedLease | undefined
  /** Returns the key of the pod's open namespace: `dev:ino` (device and inode number). */
  keyOf(uid: string): string | undefined
  /** Returns a map from namespace keys to UIDs of cached pods. The kernel does not reuse keys of open namespaces. */
  holders(): ReadonlyMap<string, string>
  /** Lists all cached pods with counted references. The caller disposes of the references. */
  snapshot(): KnownPod[]
  /** Removes a pod from the cache. Open references keep the pod's namespace open. */
  forget(uid: string): boolean
  readonly size: number
}

/**
 * Creates an empty cache of open namespaces.
 *
 * @param hostProc - procfs of the node. It shows the node's own namespace, which the cache refuses for pods
 * @throws {@link DiscoveryError} if the node's own namespace is unknown.
 */
export function netnsCache(hostProc: string): NetnsCache {
  const pods = new Map<string, { readonly workload: WorkloadInfo; readonly held: SharedNetns | undefined }>()
  nodeNamespace(hostProc)
  const forget = (uid: string): boolean => {
    pods.get(uid)?.held?.release()
    return pods.delete(uid)
  }
  return {
    add: (uid, workload) => void pods.set(uid, { workload, held: pods.get(uid)?.held }),
    setNetns(uid, workload, netns) {
      const before = pods.get(uid)?.held
      if (before?.netns.isSame(netns)) {
        if (before.netns !== netns) netns.close()
        pods.set(uid, { workload, held: before })
        return
      }
      refuseReserved(hostProc, workload, netns)
      pods.set(uid, { workload, held: new SharedNetns(netns) })
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
 * Refuses the namespaces of node and agent for pods, because ztunnel itself would accept them. Redirection rules in
 * these namespaces would affect the node or the agent.
 */
function refuseReserved(hostProc: string, { namespace, name }: WorkloadInfo, netns: Netns): void {
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

/** Open network namespace with a reference count. The last user closes the namespace. */
class SharedNetns {
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
