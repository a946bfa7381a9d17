import { NodeLevelError } from '../node-level-error.ts'
import { type Target, uidBytes, uidOf } from '../objects/maps.ts'
import type { Objects } from '../objects/objects.ts'

type Maps = Pick<Objects['maps'], 'app_info' | 'pod_uids'>

/** A pod's address in the maps. */
export interface PodEntry {
  readonly address: string
  /** `undefined`: somebody else put it there. */
  readonly uid: string | undefined
  readonly target: Target
}

/** All that are there. */
export function podEntries(maps: Maps): PodEntry[] {
  return maps.app_info.entries().map(([address, target]) => entryOf(maps, address, target))
}

/** Those of some addresses. All of a node with hundreds take milliseconds, and a pod that starts waits for them. */
export function podEntriesAt(maps: Maps, addresses: Iterable<string>): PodEntry[] {
  return [...new Set(addresses)].flatMap((address) => {
    const target = maps.app_info.get(address)
    return target === undefined ? [] : [entryOf(maps, address, target)]
  })
}

/** Where what takes a step back goes. */
export type Undo = (step: () => void) => void

/**
 * Puts one in the place of what is there; `undo` puts that back.
 *
 * @throws {@link NodeLevelError} `ADDRESS`; `EbpfError('FULL')`.
 */
export function putEntry(maps: Maps, entry: PodEntry, undo?: Undo): void {
  const { address, target } = entry
  const uid = uidBytes(entry.uid ?? '')
  if (uid === undefined) throw new NodeLevelError('ADDRESS', `The UID ${entry.uid} is longer than any of a pod`)
  undo?.(asItWas(maps, address))
  maps.pod_uids.set(address, uid)
  maps.app_info.set(address, target)
}

/** Takes an address out; `undo` puts back what is there. */
export function dropEntry(maps: Maps, address: string, undo?: Undo): void {
  undo?.(asItWas(maps, address))
  maps.app_info.delete(address)
  maps.pod_uids.delete(address)
}

/** What of these entries is not in the maps, or is there besides, in words. */
export function entriesDrift(maps: Maps, known: ReadonlyMap<string, PodEntry>): string[] {
  const there = new Map(podEntries(maps).map((entry) => [entry.address, entry]))
  return [
    ...[...known.values()].filter((entry) => !isThere(there, entry)).map(missing),
    ...[...there.values()].filter(({ address }) => !known.has(address)).map(unexpected),
  ]
}

/** Whether an entry is there as it is to be. */
export function isThere(there: ReadonlyMap<string, PodEntry>, { address, uid, target }: PodEntry): boolean {
  const found = there.get(address)
  return found?.uid === uid && isSameTarget(found?.target, target)
}

/** In words. */
export const missing = ({ address, uid }: PodEntry): string => `missing ${address} of pod ${uid}`
/** In words. */
export const unexpected = ({ address, uid = 'nobody' }: PodEntry): string => `unexpected ${address} of pod ${uid}`

/** Which links they lead to. */
export const linksOf = (entries: Iterable<PodEntry>): Set<number> =>
  new Set(Array.from(entries, ({ target }) => target.ifindex))

/** Do they lead to the same link? */
export const isSameTarget = (one: Target | undefined, other: Target | undefined): boolean =>
  one?.ifindex === other?.ifindex && one?.mac === other?.mac && one?.flags === other?.flags

// internal

function entryOf({ pod_uids }: Maps, address: string, target: Target): PodEntry {
  const uid = pod_uids.get(address)
  return { address, target, uid: uid === undefined ? undefined : uidOf(uid) }
}

/** What makes an address what it is now. */
function asItWas({ app_info, pod_uids }: Maps, address: string): () => void {
  const [target, uid] = [app_info.get(address), pod_uids.get(address)]
  return () => {
    if (uid === undefined) pod_uids.delete(address)
    else pod_uids.set(address, uid)
    if (target === undefined) app_info.delete(address)
    else app_info.set(address, target)
  }
}
