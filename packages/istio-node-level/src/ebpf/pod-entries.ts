import { NodeLevelError } from '../node-level-error.ts'
import { type Target, uidBytes, uidOf } from '../objects/maps.ts'
import type { Objects } from '../objects/objects.ts'

type Maps = Pick<Objects['maps'], 'app_info' | 'pod_uids'>

/** Entry of the eBPF maps for one address of a pod. */
export interface PodEntry {
  readonly address: string
  /** UID of the pod. `undefined` if another program wrote the entry. */
  readonly uid: string | undefined
  readonly target: Target
}

/** Reads the entries of all enrolled addresses from the eBPF maps. */
export function podEntries(maps: Maps): PodEntry[] {
  return maps.app_info.entries().map(([address, target]) => entryOf(maps, address, target))
}

/** Reads the map entries of the given addresses only: reading all entries would delay the start of a pod. */
export function podEntriesAt(maps: Maps, addresses: Iterable<string>): PodEntry[] {
  return [...new Set(addresses)].flatMap((address) => {
    const target = maps.app_info.get(address)
    return target === undefined ? [] : [entryOf(maps, address, target)]
  })
}

/** Function that registers a rollback step: the step runs if a later change fails. */
export type Undo = (step: () => void) => void

/**
 * Writes the entry of a pod's address into the eBPF maps.
 *
 * @throws {@link NodeLevelError} `ADDRESS`; `EbpfError('FULL')`.
 */
export function putEntry(maps: Maps, entry: PodEntry, undo?: Undo): void {
  const { address, target } = entry
  const uid = uidBytes(entry.uid ?? '')
  if (uid === undefined) throw new NodeLevelError('ADDRESS', `The UID ${entry.uid} is longer than any of a pod`)
  undo?.(restoreEntry(maps, address))
  maps.pod_uids.set(address, uid)
  maps.app_info.set(address, target)
}

/** Deletes the entry of an address from the eBPF maps. The rollback step restores the entry. */
export function dropEntry(maps: Maps, address: string, undo?: Undo): void {
  undo?.(restoreEntry(maps, address))
  maps.app_info.delete(address)
  maps.pod_uids.delete(address)
}

/** Describes differences between the entries in the eBPF maps and the enrolled addresses. */
export function entriesDrift(maps: Maps, known: ReadonlyMap<string, PodEntry>): string[] {
  const there = new Map(podEntries(maps).map((entry) => [entry.address, entry]))
  return [
    ...[...known.values()].filter((entry) => !isThere(there, entry)).map(missing),
    ...[...there.values()].filter(({ address }) => !known.has(address)).map(unexpected),
  ]
}

/** True if the eBPF maps contain the entry of a pod's address. */
export function isThere(there: ReadonlyMap<string, PodEntry>, { address, uid, target }: PodEntry): boolean {
  const found = there.get(address)
  return found?.uid === uid && isSameTarget(found?.target, target)
}

/** Describes a missing entry of the eBPF maps for a pod's address. */
export const missing = ({ address, uid }: PodEntry): string => `missing ${address} of pod ${uid}`
/** Describes an entry of the eBPF maps for an address that is not enrolled. */
export const unexpected = ({ address, uid = '(unknown)' }: PodEntry): string => `unexpected ${address} of pod ${uid}`

/** Collects the link indices from the given map entries of pods. */
export const linksOf = (entries: Iterable<PodEntry>): Set<number> =>
  new Set(Array.from(entries, ({ target }) => target.ifindex))

/** True if two map values direct packets to the same link and MAC address, with the same flags. */
export const isSameTarget = (one: Target | undefined, other: Target | undefined): boolean =>
  one?.ifindex === other?.ifindex && one?.mac === other?.mac && one?.flags === other?.flags

// internal

function entryOf({ pod_uids }: Maps, address: string, target: Target): PodEntry {
  const uid = pod_uids.get(address)
  return { address, target, uid: uid === undefined ? undefined : uidOf(uid) }
}

/** Returns the rollback step that restores the current map entries of an address. */
function restoreEntry({ app_info, pod_uids }: Maps, address: string): () => void {
  const [target, uid] = [app_info.get(address), pod_uids.get(address)]
  return () => {
    if (uid === undefined) pod_uids.delete(address)
    else pod_uids.set(address, uid)
    if (target === undefined) app_info.delete(address)
    else app_info.set(address, target)
  }
}
