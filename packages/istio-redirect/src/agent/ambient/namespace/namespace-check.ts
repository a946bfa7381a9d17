import type { AmbientPod } from '@cni/istio-rules'
import type { Netns } from '@cni/netns'
import type { WorkloadInfo } from '../../../zds/wire.ts'
import { findInSnapshot } from '../../proc/find-pod-namespaces.ts'
import { type NodeSnapshot, takeNodeSnapshot } from '../../proc/node-snapshot.ts'
import type { SoughtPod } from '../../proc/sought-pod.ts'
import type { NetnsCache } from './netns-cache.ts'

/** Pod whose network namespace is compared with the node's processes and mounts. */
export type CheckedPod = Pick<AmbientPod, 'uid' | 'addresses'>

/** Result of the comparison of a pod's open namespace with the node's processes and mounts. */
export type NamespaceFinding =
  | { readonly is: 'held' }
  /** The pod is in the new namespace `netns`, which {@link NamespaceCheck.replace} stores. */
  | { readonly is: 'replaced'; readonly before: string | undefined; readonly netns: Netns }
  /** No namespace was found for the pod. `isSure` is false if the pod may be ending. */
  | { readonly is: 'lost'; readonly why: string; readonly isSure: boolean }

/** Compares the namespaces that the agent holds open for pods with the processes and mounts of the node. */
export interface NamespaceCheck {
  /** Checks the namespaces of pods, and returns the results by UID. One snapshot of the node serves all pods. */
  check(pods: readonly CheckedPod[]): Promise<ReadonlyMap<string, NamespaceFinding>>
  /**
   * Stores the namespace that the check found for a pod, and closes the pod's former namespace. Returns `false` if the
   * pod's namespace in the cache has changed since the check. Also returns `false` if the pod is no longer in the
   * cache.
   */
  replace(uid: string, workload: WorkloadInfo, finding: NamespaceFinding & { readonly is: 'replaced' }): boolean
}

/** Creates a {@link NamespaceCheck} for the pods in a cache of open namespaces. */
export function namespaceCheck(cache: NetnsCache, hostProc: string): NamespaceCheck {
  return {
    async check(pods) {
      const snapshot = await takeNodeSnapshot(hostProc)
      const holders = cache.holders()
      const heldBy = new Map([...holders].map(([key, uid]) => [uid, key]))
      const sought = new Map<string, SoughtPod>(
        pods.map(({ uid, addresses }) => [uid, { addresses, held: heldBy.get(uid) }]),
      )
      const { namespaces, held, refused } = await findInSnapshot(snapshot, sought, holders)
      return new Map(
        pods.map(({ uid }): [string, NamespaceFinding] => {
          const before = heldBy.get(uid)
          const netns = namespaces.get(uid)
          if (netns !== undefined) return [uid, { is: 'replaced', before, netns }]
          if (held.has(uid)) return [uid, { is: 'held' }]
          const why = refused.get(uid)
          return [uid, { is: 'lost', why: why ?? unseen(snapshot), isSure: why !== undefined || before === undefined }]
        }),
      )
    },
    replace(uid, workload, { before, netns }) {
      if (!cache.has(uid) || cache.keyOf(uid) !== before) {
        netns.close()
        return false
      }
      cache.setNetns(uid, workload, netns)
      return true
    },
  }
}

// internal

const unseen = ({ mountsProblem }: NodeSnapshot): string =>
  `no process of the pod and no mount in /run/netns shows its namespace${mountsProblem === undefined ? '' : ` (${mountsProblem})`}`
