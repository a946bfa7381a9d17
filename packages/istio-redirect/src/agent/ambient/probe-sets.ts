import { messageOf } from '@cni/types'
import { formatAddress, parseAddress, unmapAddress } from '@cni/types/ip'
import type { AddressSet, ProbeEntry, SetEdit } from './address-set.ts'

/** How the sets differed from what they should hold. */
export interface SyncReport {
  /** What was missing, or said another pod. */
  readonly added: readonly ProbeEntry[]
  /** What no pod has. */
  readonly removed: readonly ProbeEntry[]
}

/** The addresses of the pods in the mesh, as the node's rules look them up. Changes wait for one another. */
export interface ProbeSets {
  /** Makes what is missing, and leaves alone what is there. */
  create(): Promise<void>
  /**
   * Gives a pod these addresses and no others: entries of its UID for other addresses go. An address that another pod had
   * is this one's from now on. Returns the addresses of a family that is switched off, which are in no set.
   */
  put(uid: string, addresses: readonly string[]): Promise<string[]>
  /** Removes every entry of a pod, also of addresses that nobody remembers; returns them. */
  drop(uid: string): Promise<string[]>
  /**
   * Makes the sets hold the addresses of these pods, by UID, changing only what differs; what is right is never away. A pod
   * without addresses, of which none may be known yet, keeps its entries.
   */
  sync(pods: ReadonlyMap<string, readonly string[]>): Promise<SyncReport>
  list(): Promise<ProbeEntry[]>
  /** Removes the sets. `IN_USE` when a rule refers to one; a rule that has just been removed has a moment to be gone. */
  destroy(): Promise<void>
}

/** The sets of the families that are in use, one each. */
export function probeSets(sets: readonly AddressSet[]): ProbeSets {
  // To look who has an address and to delete it may be two steps, between which nobody may give it to another pod.
  const inTurn = queue()
  const editEach = async (plan: (set: AddressSet, there: readonly ProbeEntry[]) => SetEdit): Promise<SetEdit> => {
    const edits = await each(sets, (set) => set.edit((there) => plan(set, there)))
    return { added: edits.flatMap(({ added }) => added), removed: edits.flatMap(({ removed }) => removed) }
  }
  return {
    create: () => inTurn(async () => void (await each(sets, (set) => set.create()))),
    put: (uid, addresses) =>
      inTurn(async () => {
        const own = byFamily(addresses)
        await editEach(({ family }, there) => ownEdit(uid, own[family], there))
        return (['ipv4', 'ipv6'] as const)
          .filter((family) => sets.every((set) => set.family !== family))
          .flatMap((family) => own[family])
      }),
    drop: (uid) =>
      inTurn(async () => (await editEach((_, there) => ownEdit(uid, [], there))).removed.map(({ address }) => address)),
    sync: (pods) => inTurn(() => editEach(({ family }, there) => syncEdit(family, pods, there))),
    list: () => inTurn(async () => (await each(sets, (set) => set.list())).flat()),
    destroy: () => inTurn(async () => void (await each(sets, (set) => set.destroy()))),
  }
}

// internal

/**
 * In the spelling of the kernel.
 *
 * @throws `TypeError` for what is no address.
 */
function byFamily(addresses: readonly string[]): Readonly<Record<'ipv4' | 'ipv6', string[]>> {
  const found: Record<'ipv4' | 'ipv6', string[]> = { ipv4: [], ipv6: [] }
  for (const text of addresses) {
    const bytes = parseAddress(text)
    if (bytes === undefined) throw new TypeError(`${JSON.stringify(text)} is no address of a pod`)
    const plain = unmapAddress(bytes)
    found[plain.length === 16 ? 'ipv6' : 'ipv4'].push(formatAddress(plain))
  }
  return found
}

/** Makes the entries of a pod these. */
function ownEdit(uid: string, addresses: readonly string[], there: readonly ProbeEntry[]): SetEdit {
  const already = new Set(there.filter((entry) => entry.uid === uid).map(({ address }) => address))
  return {
    added: addresses.filter((address) => !already.has(address)).map((address) => ({ address, uid })),
    removed: there.filter((entry) => entry.uid === uid && !addresses.includes(entry.address)),
  }
}

function syncEdit(
  family: 'ipv4' | 'ipv6',
  pods: ReadonlyMap<string, readonly string[]>,
  there: readonly ProbeEntry[],
): SetEdit {
  const owners = new Map<string, string[]>()
  for (const [uid, addresses] of pods) {
    for (const address of byFamily(addresses)[family]) owners.set(address, [...(owners.get(address) ?? []), uid])
  }
  const present = new Map(there.map(({ address, uid }) => [address, uid]))
  return {
    added: [...owners].flatMap(([address, uids]) => {
      const uid = uids.at(-1)
      // Of two pods that claim an address the one that has it keeps it.
      return uid === undefined || uids.includes(present.get(address) ?? '') ? [] : [{ address, uid }]
    }),
    removed: there.filter(
      ({ address, uid }) => !owners.has(address) && !(uid !== undefined && pods.get(uid)?.length === 0),
    ),
  }
}

/** One after the other; a set that fails does not keep the others from being worked on. */
async function each<T>(sets: readonly AddressSet[], work: (set: AddressSet) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  const errors: unknown[] = []
  for (const set of sets) {
    try {
      results.push(await work(set))
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 1) throw new AggregateError(errors, errors.map(messageOf).join('; '))
  if (errors.length === 1) throw errors[0]
  return results
}

/** Runs one piece of work at a time, in the order in which they come; one that fails keeps none back. */
function queue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }
}
