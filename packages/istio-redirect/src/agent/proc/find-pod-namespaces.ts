import type { Netns } from '@cni/netns'
import { findByAddress } from './find-by-address.ts'
import { findByProcess } from './find-by-process.ts'
import { type NodeSnapshot, takeNodeSnapshot } from './node-snapshot.ts'
import { podOfProcess } from './proc-files.ts'
import type { Holders, SoughtPod } from './sought-pod.ts'

/** Result of a search for the network namespaces of pods. */
export interface FoundNamespaces {
  /** Map from UIDs of pods to the pods' open network namespaces. The caller closes the namespaces. */
  readonly namespaces: ReadonlyMap<string, Netns>
  /** Warnings for the log about network namespaces that the search refused. */
  readonly warnings: readonly string[]
}

/**
 * Opens the network namespaces of pods, found by process or else by addresses.
 *
 * @throws {@link DiscoveryError} if the node's own namespace is unknown.
 */
export async function findPodNamespaces(
  wanted: ReadonlyMap<string, readonly string[]>,
  hostProc: string,
  holders: Holders = new Map(),
): Promise<FoundNamespaces> {
  const sought = new Map([...wanted].map(([uid, addresses]) => [uid, { addresses }]))
  return findInSnapshot(await takeNodeSnapshot(hostProc), sought, holders)
}

/** Result of a search for the network namespaces of pods. The agent already holds some of these namespaces open. */
export interface SearchResult extends FoundNamespaces {
  /** UIDs of pods that are still in the network namespace that the agent holds open for them. */
  readonly held: ReadonlySet<string>
  /** Map from UIDs of pods with processes in refused network namespaces to texts with process and reason. */
  readonly refused: ReadonlyMap<string, string>
}

/** Variant of {@link findPodNamespaces} for an existing snapshot of the node. */
export async function findInSnapshot(
  snapshot: NodeSnapshot,
  sought: ReadonlyMap<string, SoughtPod>,
  holders: Holders,
): Promise<SearchResult> {
  const held = new Set<string>()
  const open = new Map<string, SoughtPod>()
  for (const [uid, pod] of sought) {
    if (hasProcessIn(snapshot, pod.held, uid)) held.add(uid)
    else if (pod.addresses.length > 0) open.set(uid, pod)
  }
  const namespaces = new Map<string, Netns>()
  try {
    const { owners, refused, warnings } = await findByProcess(snapshot, open, holders, namespaces)
    const unseen = new Map<string, readonly string[]>()
    for (const [uid, { addresses, held: key }] of open) {
      // Searches by address only for pods without processes.
      if (namespaces.has(uid) || refused.has(uid)) continue
      if (key !== undefined && snapshot.namespaces.has(key)) held.add(uid)
      else unseen.set(uid, addresses)
    }
    const more = await findByAddress(snapshot, unseen, { owners, holders, found: namespaces })
    return { namespaces, held, refused, warnings: [...warnings, ...more] }
  } catch (error) {
    for (const each of namespaces.values()) each.close()
    throw error
  }
}

// internal

const hasProcessIn = ({ namespaces, hostProc }: NodeSnapshot, key: string | undefined, uid: string): boolean =>
  key !== undefined && (namespaces.get(key)?.pids ?? []).some((pid) => podOfProcess(hostProc, pid) === uid)
