import { mutex } from '@cni/host'
import { isSetError } from '@cni/ipset'
import { probeSetNames } from '@cni/istio-rules'
import { isNftError } from '@cni/nftables'
import { messageOf } from '@cni/types'
import { formatAddress, parseAddress, unmapAddress } from '@cni/types/ip'
import type { AddressSet, ProbeEntry, SetEdit } from './address-set.ts'

/** Address sets that another process removed, and entries of sets that another process removed or changed. */
export interface MissingProbes {
  /** Names of address sets that do not exist. */
  readonly sets: readonly string[]
  readonly entries: readonly ProbeEntry[]
}

/** Address sets of the node, which contain the addresses of the pods in the mesh. */
export interface ProbeSets {
  /** Creates missing address sets of the node, and keeps existing ones. */
  create(): Promise<void>
  /** Replaces the addresses of a pod in the node's address sets. Returns the addresses without a set. */
  put(uid: string, addresses: readonly string[]): Promise<string[]>
  /** Removes all entries of a pod from the node's address sets. Returns the removed addresses. */
  drop(uid: string): Promise<string[]>
  /**
   * Makes the entries of the node's address sets equal to the addresses of `pods` (addresses by UID). Writes only the
   * differences, and returns them. A pod with an empty list keeps its entries, because its addresses may not be known
   * yet.
   */
  sync(pods: ReadonlyMap<string, readonly string[]>): Promise<SetEdit>
  /**
   * Restores entries of the address sets that another process removed or changed. Returns the restored entries. Keeps
   * unknown entries, because a newer agent that takes over may have added them.
   */
  heal(): Promise<ProbeEntry[]>
  /** Lists the sets and entries that {@link ProbeSets.heal} would restore. Changes nothing. */
  missing(): Promise<MissingProbes>
  list(): Promise<ProbeEntry[]>
}

/** Creates the manager of the node's address sets. There is one set for each IP family in use. */
export function probeSets(sets: readonly AddressSet[]): ProbeSets {
  // Runs calls one by one, because a concurrent call could move an address to another pod.
  const exclusive = mutex()
  const each = sets.map((set): CachedSet => ({ set, known: new Map(), unchangedAt: undefined, complete: false }))
  const ownOnly = (uid: string, own: Readonly<Record<'ipv4' | 'ipv6', readonly string[]>>, isDropped = false) =>
    onAll(each, async (cached) => {
      const { set, known } = cached
      const addresses = own[set.family]
      const isNew = cached.complete && !isDropped && ![...known.values()].includes(uid)
      if (isNew && addresses.length === 0) return { added: [], removed: [] }
      cached.unchangedAt = undefined
      // Updates the map `known` first. If the write to the kernel's set then fails, `heal` writes the entries again.
      for (const [address, owner] of known) if (owner === uid) known.delete(address)
      for (const address of addresses) known.set(address, uid)
      // Writes a new pod's entries without listing the set, because listing is slow.
      if (isNew) return set.write({ added: addresses.map((address) => ({ address, uid })), removed: [] })
      return set.edit((there) => ownEdit(uid, addresses, there))
    })
  return {
    create: () => exclusive(async () => void (await onAll(each, ({ set }) => set.create()))),
    put: (uid, addresses) =>
      exclusive(async () => {
        const own = byFamily(addresses)
        await ownOnly(uid, own)
        return (['ipv4', 'ipv6'] as const)
          .filter((family) => sets.every((set) => set.family !== family))
          .flatMap((family) => own[family])
      }),
    drop: (uid) =>
      exclusive(async () =>
        (await ownOnly(uid, { ipv4: [], ipv6: [] }, true)).flatMap(({ removed }) =>
          removed.map(({ address }) => address),
        ),
      ),
    sync: (pods) =>
      exclusive(async () => {
        const edits = await onAll(each, async (cached) => {
          const { set, known } = cached
          cached.unchangedAt = undefined
          let after: ReadonlyMap<string, string> = new Map()
          const edit = await set.edit((there) => {
            const planned = syncEdit(set.family, pods, there)
            after = ownersAfter(there, planned)
            return planned
          })
          known.clear()
          for (const [address, uid] of after) known.set(address, uid)
          cached.complete = true
          return edit
        })
        return { added: edits.flatMap(({ added }) => added), removed: edits.flatMap(({ removed }) => removed) }
      }),
    heal: () =>
      exclusive(async () => {
        const edits = await onAll(each, ({ set, known }) => set.edit((there) => healEdit(known, there)))
        return edits.flatMap(({ added }) => added)
      }),
    missing: () =>
      exclusive(async () => {
        const found = await onAll(each, missingOf)
        return { sets: found.flatMap((one) => one.sets), entries: found.flatMap(({ entries }) => entries) }
      }),
    list: () => exclusive(async () => (await onAll(each, ({ set }) => set.list())).flat()),
  }
}

// internal

interface CachedSet {
  readonly set: AddressSet
  /** Map from addresses in the set that this agent added, to UIDs of the pods. */
  readonly known: Map<string, string>
  /** Generation number of the address set at the last check that found no missing entry. */
  unchangedAt: number | undefined
  /** True if `known` has all entries of the set that have a UID. */
  complete: boolean
}

async function missingOf(cached: CachedSet): Promise<MissingProbes> {
  const { set, known } = cached
  // Reads the set's generation number before the entries. The next check then notices a change during the listing.
  const generation = await set.generation?.()
  if (generation !== undefined && generation === cached.unchangedAt) return { sets: [], entries: [] }
  const there = await unlessRemoved(set)
  const entries = healEdit(known, there ?? []).added
  cached.unchangedAt = there !== undefined && entries.length === 0 ? generation : undefined
  return { sets: there === undefined ? [probeSetNames[set.family]] : [], entries }
}

/**
 * Groups addresses of a pod by IP family, in the kernel's notation.
 *
 * @throws `TypeError` for an invalid address.
 */
function byFamily(addresses: readonly string[]): Readonly<Record<'ipv4' | 'ipv6', string[]>> {
  const found: Record<'ipv4' | 'ipv6', string[]> = { ipv4: [], ipv6: [] }
  for (const text of addresses) {
    const bytes = parseAddress(text)
    if (bytes === undefined) throw new TypeError(`${JSON.stringify(text)} is not an address of a pod`)
    const plain = unmapAddress(bytes)
    found[plain.length === 16 ? 'ipv6' : 'ipv4'].push(formatAddress(plain))
  }
  return found
}

/** Computes the changes after which an address set has exactly the given addresses for one pod. */
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
      // Keeps an entry with the UID of any pod with this address, because pods may share addresses.
      return uid === undefined || uids.includes(present.get(address) ?? '') ? [] : [{ address, uid }]
    }),
    removed: there.filter(
      ({ address, uid }) => !owners.has(address) && !(uid !== undefined && pods.get(uid)?.length === 0),
    ),
  }
}

function healEdit(known: ReadonlyMap<string, string>, there: readonly ProbeEntry[]): SetEdit {
  const present = new Map(there.map(({ address, uid }) => [address, uid]))
  const added = [...known].flatMap(([address, uid]) => (present.get(address) === uid ? [] : [{ address, uid }]))
  return { added, removed: [] }
}

/** Lists the entries of an address set. `undefined` if another process removed the set. */
async function unlessRemoved(set: AddressSet): Promise<readonly ProbeEntry[] | undefined> {
  try {
    return await set.list()
  } catch (error) {
    if ((isSetError(error) || isNftError(error)) && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}

/** Returns a map from addresses to UIDs of pods, after the given changes of an address set. */
function ownersAfter(there: readonly ProbeEntry[], { added, removed }: SetEdit): Map<string, string> {
  const owners = new Map<string, string>()
  for (const { address, uid } of there) if (uid !== undefined) owners.set(address, uid)
  for (const { address } of removed) owners.delete(address)
  for (const { address, uid } of added) owners.set(address, uid)
  return owners
}

/** Calls a function for each address set in turn, also after an error. Throws the errors at the end. */
async function onAll<S, T>(sets: readonly S[], work: (set: S) => Promise<T>): Promise<T[]> {
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
