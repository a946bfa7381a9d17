import type { Netns } from '@cni/netns'
import { DiscoveryError } from '../../proc/discovery-error.ts'
import {
  identityOf,
  type NamespaceIdentity,
  namespaceKey,
  nodeNamespace,
  reservedNamespaces,
} from '../../proc/namespace-identity.ts'

/** What ztunnel is told of a pod besides its namespace. */
export interface Workload {
  readonly name: string
  readonly namespace: string
  readonly serviceAccount: string
}

/** A namespace that stays open until whoever asked for it disposes of this, whatever happens to the cache meanwhile. */
export interface NetnsLease extends Disposable {
  readonly netns: Netns
}

/** A lease of a namespace that was told apart when it was kept. */
export interface IdentifiedLease extends NetnsLease {
  readonly identity: NamespaceIdentity
}

/** A pod that is known, with its namespace if that is. */
export interface KnownPod {
  readonly uid: string
  readonly workload: Workload
  /** `undefined`: no namespace of it was found; or the lease was not asked for. */
  readonly lease: NetnsLease | undefined
}

/** The open namespaces of the pods in the mesh, one descriptor each. */
export interface NetnsCache extends Disposable {
  /** Knows a pod, with the namespace that it has already or none. */
  know(uid: string, workload: Workload): void
  /**
   * Keeps a namespace for a pod, and from now on is who closes it. Of the one that it has already the new handle is closed
   * and the old one stays; another one takes the place of the old.
   *
   * @throws {@link DiscoveryError} for the node's own or the agent's, which is closed and not kept.
   */
  keep(uid: string, workload: Workload, netns: Netns): void
  has(uid: string): boolean
  /** The namespace of a pod, `undefined` when it is not known or has none. */
  lease(uid: string): IdentifiedLease | undefined
  /** The namespace of a pod as `dev:ino`. */
  keyOf(uid: string): string | undefined
  /** The UIDs of pods by their namespaces, as `dev:ino`; what is held is open, so that its inode is not used again. */
  holders(): ReadonlyMap<string, string>
  /** All pods at this moment; every lease is to be disposed of. */
  snapshot(): KnownPod[]
  /** Forgets a pod. Its namespace is closed when nobody has it on lease any more. */
  forget(uid: string): boolean
  readonly size: number
}

/**
 * An empty cache.
 *
 * @param hostProc - the node's procfs: which namespace is the node's is asked at once, and each time one is kept
 * @throws {@link DiscoveryError} when that cannot be told.
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

/** Rules in there would divert the traffic of the node itself or of the agent, and ztunnel does not look. */
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

/** Closed by the last who lets go of it. */
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
