import { type Target, uidBytes, uidOf } from '../../ebpf/maps.ts'
import type { Objects } from '../../ebpf/objects.ts'
import { NodeLevelError } from '../node-level-error.ts'

type Maps = Pick<Objects['maps'], 'app_info' | 'pod_uids'>

/** A pod's address in the maps. */
export interface PodEntry {
  readonly address: string
  /** `undefined`: somebody else put it there. */
  readonly uid: string | undefined
  readonly target: Target
}

/** All that are there. */
export function podEntries({ app_info, pod_uids }: Maps): PodEntry[] {
  return app_info.entries().map(([address, target]) => {
    const uid = pod_uids.get(address)
    return { address, target, uid: uid === undefined ? undefined : uidOf(uid) }
  })
}

/**
 * Puts one in the place of what is there; `undo` puts that back.
 *
 * @throws {@link NodeLevelError} `ADDRESS`; `EbpfError('FULL')`.
 */
export function putEntry({ app_info, pod_uids }: Maps, entry: PodEntry, undo?: (step: () => void) => void): void {
  const { address, target } = entry
  const uid = uidBytes(entry.uid ?? '')
  if (uid === undefined) throw new NodeLevelError('ADDRESS', `The UID ${entry.uid} is longer than any of a pod`)
  const [targetBefore, uidBefore] = [app_info.get(address), pod_uids.get(address)]
  undo?.(() => {
    if (uidBefore === undefined) pod_uids.delete(address)
    else pod_uids.set(address, uidBefore)
    if (targetBefore === undefined) app_info.delete(address)
    else app_info.set(address, targetBefore)
  })
  pod_uids.set(address, uid)
  app_info.set(address, target)
}

/** Takes an address out. */
export function dropEntry({ app_info, pod_uids }: Maps, address: string): void {
  app_info.delete(address)
  pod_uids.delete(address)
}

/** Do they lead to the same link? */
export const isSameTarget = (one: Target | undefined, other: Target | undefined): boolean =>
  one?.ifindex === other?.ifindex && one?.mac === other?.mac && one?.flags === other?.flags
