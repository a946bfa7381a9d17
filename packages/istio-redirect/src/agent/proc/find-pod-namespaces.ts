import type { Netns } from '@cni/netns'
import { findByAddress } from './find-by-address.ts'
import { findByProcess } from './find-by-process.ts'
import { lookAtNode, type NodeLook } from './node-look.ts'
import { podOfProcess } from './proc-files.ts'
import type { Holders, SoughtPod } from './sought-pod.ts'

/** What a look at a node found. */
export interface FoundNamespaces {
  /** By UID; whoever asked closes them. */
  readonly namespaces: ReadonlyMap<string, Netns>
  /** Sentences for the log, about what was found and not taken. */
  readonly warnings: readonly string[]
}

/**
 * Opens the network namespaces of pods, by UID with their addresses, each found by the first of these that there is:
 *
 * 1. processes whose control groups say the UID, with one of the pod's addresses in their namespace; of several it is the one with the
 *    oldest process;
 * 2. a namespace with all addresses of the pod and no process of another pod in it: of the oldest process, or mounted in the
 *    node's folder of named namespaces and nowhere a second time.
 *
 * Never the node's own, the agent's, or one that is held for another pod. A pod without addresses is not looked for.
 *
 * @throws {@link DiscoveryError} when it cannot be told which namespace is the node's.
 */
export async function findPodNamespaces(
  wanted: ReadonlyMap<string, readonly string[]>,
  hostProc: string,
  holders: Holders = new Map(),
): Promise<FoundNamespaces> {
  const sought = new Map([...wanted].map(([uid, addresses]) => [uid, { addresses }]))
  return findInLook(await lookAtNode(hostProc), sought, holders)
}

/** What became of pods that were looked for. */
export interface LookedFor extends FoundNamespaces {
  /** Pods that are in the namespace that is held for them. */
  readonly held: ReadonlySet<string>
  /** Pods whose processes are in namespaces that cannot be theirs: which process, and why, without its subject. */
  readonly refused: ReadonlyMap<string, string>
}

/** The same in a look that was taken, also for pods that have a namespace; see {@link findPodNamespaces}. */
export async function findInLook(
  look: NodeLook,
  sought: ReadonlyMap<string, SoughtPod>,
  holders: Holders,
): Promise<LookedFor> {
  const held = new Set<string>()
  const open = new Map<string, SoughtPod>()
  for (const [uid, pod] of sought) {
    if (hasProcessIn(look, pod.held, uid)) held.add(uid)
    else if (pod.addresses.length > 0) open.set(uid, pod)
  }
  const namespaces = new Map<string, Netns>()
  try {
    const { owners, refused, warnings } = await findByProcess(look, open, holders, namespaces)
    const unseen = new Map<string, readonly string[]>()
    for (const [uid, { addresses, held: key }] of open) {
      // Processes are the truth, also where they are in a namespace that is refused.
      if (namespaces.has(uid) || refused.has(uid)) continue
      if (key !== undefined && look.namespaces.has(key)) held.add(uid)
      else unseen.set(uid, addresses)
    }
    const more = await findByAddress(look, unseen, { owners, holders, found: namespaces })
    return { namespaces, held, refused, warnings: [...warnings, ...more] }
  } catch (error) {
    for (const each of namespaces.values()) each.close()
    throw error
  }
}

// internal

const hasProcessIn = ({ namespaces, hostProc }: NodeLook, key: string | undefined, uid: string): boolean =>
  key !== undefined && (namespaces.get(key)?.pids ?? []).some((pid) => podOfProcess(hostProc, pid) === uid)
