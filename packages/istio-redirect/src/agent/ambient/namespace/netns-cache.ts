import type { Netns } from '@cni/netns'
import { DiscoveryError } from '../../proc/discovery-error.ts'
import {
  identityOf,
  type NamespaceIdentity,
  namespaceKey,
  nodeNamespace,
  reservedNamespaces,
} from '../../proc/namespace-identity.ts'

/** Data of a pod that ztunnel receives with its namespace. */
export interface Workload {
  readonly name: string
  readonly namespace: string
  readonly serviceAccount: string
}

/** Lease of a namespace. The namespace stays open until the lease is disposed of, even if the cache drops it. */
export interface NetnsLease extends Disposable {
  readonly netns: Netns
}

/** Lease of a namespace, with the namespace's identity at the time of its addition to the cache. */
export interface IdentifiedLease extends NetnsLease {
  readonly identity: NamespaceIdentity
}

/** Pod of the cache, with a lease of its namespace. */
export interface KnownPod {
  readonly uid: string
  readonly workload: Workload
  /** Lease of the pod's namespace. `undefined` if no namespace was found, or if no lease was requested. */
  readonly lease: NetnsLease | undefined
}

/** Open namespaces of the pods in the mesh, with one descriptor each. */
export interface NetnsCache extends Disposable {
  /** Adds or updates a pod without a new namespace. An existing namespace stays. */
  know(uid: string, workload: Workload): void
  /**
   * Adds a namespace for a pod. The cache closes it later.
   *
   * If the pod has the same namespace already, the new handle is closed. Another namespace replaces the former one.
   *
   * @throws {@link DiscoveryError} for the namespace of the node or the agent. The handle is closed and not kept.
   */
  keep(uid: string, workload: Workload, netns: Netns): void
  has(uid: string): boolean
  /** Leases the namespace of a pod. `undefined` if the pod or its namespace is unknown. */
  lease(uid: string): IdentifiedLease | undefined
  /** Key of the pod's namespace, as `dev:ino`. */
  keyOf(uid: string): string | undefined
  /** UIDs of pods by the keys of their namespaces. Held namespaces are open, so their inode numbers are not reused. */
  holders(): ReadonlyMap<string, string>
  /** All current pods. The caller disposes of every lease. */
  snapshot(): KnownPod[]
  /** Removes a pod. Its namespace is closed after the last lease ends. */
  forget(uid: string): boolean
  readonly size: number
}

/**
 * Creates an empty cache.
 *
 * @param hostProc - the node's procfs, read now and for each added namespace to exclude the node's own
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
 * Refuses the namespaces of the node and of the agent: rules in them would redirect traffic of the node or the agent.
 * ztunnel does not check for these namespaces.
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

/** Namespace with a reference count. The last release closes it. */
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
