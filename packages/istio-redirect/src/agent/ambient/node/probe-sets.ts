import { mutex } from '@cni/host'
import { isSetError } from '@cni/ipset'
import { probeSetNames } from '@cni/istio-rules'
import { isNftError } from '@cni/nftables'
import { messageOf } from '@cni/types'
import { formatAddress, parseAddress, unmapAddress } from '@cni/types/ip'
import type { AddressSet, ProbeEntry, SetEdit } from './address-set.ts'

/** Differences between the sets and their expected entries. */
export interface SyncReport {
  /** Entries that were missing or had another pod's UID. */
  readonly added: readonly ProbeEntry[]
  /** Entries that belonged to no known pod. */
  readonly removed: readonly ProbeEntry[]
}

/** Sets and entries that another process removed. */
export interface MissingProbes {
  /** Names of missing sets. */
  readonly sets: readonly string[]
  readonly entries: readonly ProbeEntry[]
}

/**
 * Sets with the addresses of the pods in the mesh. The node's rules match these sets. Changes run one after the other.
 */
export interface ProbeSets {
  /** Creates missing sets and keeps existing ones. */
  create(): Promise<void>
  /**
   * Sets the addresses of a pod. Other entries with its UID are removed. An address of another pod moves to this pod.
   * Returns the addresses whose family is off and has no set.
   */
  put(uid: string, addresses: readonly string[]): Promise<string[]>
  /** Removes all entries of a pod, including unknown ones. Returns the addresses. */
  drop(uid: string): Promise<string[]>
  /**
   * Makes the sets equal to these pods, by UID. Changes only what differs. A pod without addresses keeps its entries,
   * because
   * its addresses may not be known yet.
   */
  sync(pods: ReadonlyMap<string, readonly string[]>): Promise<SyncReport>
  /**
   * Restores entries that another process removed or changed, and returns them. Unknown entries stay: another agent,
   * which
   * takes over, may have added them.
   */
  heal(): Promise<ProbeEntry[]>
  /** Entries and sets that {@link ProbeSets.heal} would restore. Changes nothing. */
  missing(): Promise<MissingProbes>
  list(): Promise<ProbeEntry[]>
  /**
   * Removes the sets. Throws `IN_USE` if a rule refers to a set, after a short wait for the kernel to free removed
   * rules.
   */
  destroy(): Promise<void>
}

/** Creates the address sets of the families in use, one set each. */
export function probeSets(sets: readonly AddressSet[]): ProbeSets {
  // Reading an entry and deleting it are two steps. The mutex keeps another pod from taking the address in between.
  const inTurn = mutex()
  const each = sets.map((set): KeptSet => ({ set, known: new Map(), whole: undefined, complete: false }))
  const ownOnly = (uid: string, own: Readonly<Record<'ipv4' | 'ipv6', readonly string[]>>, isDropped = false) =>
    onAll(each, async (kept) => {
      const { set, known } = kept
      const addresses = own[set.family]
      const isNew = kept.complete && !isDropped && ![...known.values()].includes(uid)
      if (isNew && addresses.length === 0) return { added: [], removed: [] }
      kept.whole = undefined
      // Updates `known` first: a failed write is then repaired by `heal`.
      for (const [address, owner] of known) if (owner === uid) known.delete(address)
      for (const address of addresses) known.set(address, uid)
      // A new pod has no entries. Skips the list of all entries, which is slow with many pods.
      if (isNew) return set.write({ added: addresses.map((address) => ({ address, uid })), removed: [] })
      return set.edit((there) => ownEdit(uid, addresses, there))
    })
  return {
    create: () => inTurn(async () => void (await onAll(each, ({ set }) => set.create()))),
    put: (uid, addresses) =>
      inTurn(async () => {
        const own = byFamily(addresses)
        await ownOnly(uid, own)
        return (['ipv4', 'ipv6'] as const)
          .filter((family) => sets.every((set) => set.family !== family))
          .flatMap((family) => own[family])
      }),
    drop: (uid) =>
      inTurn(async () =>
        (await ownOnly(uid, { ipv4: [], ipv6: [] }, true)).flatMap(({ removed }) =>
          removed.map(({ address }) => address),
        ),
      ),
    sync: (pods) =>
      inTurn(async () => {
        const edits = await onAll(each, async (kept) => {
          const { set, known } = kept
          kept.whole = undefined
          let after: ReadonlyMap<string, string> = new Map()
          const edit = await set.edit((there) => {
            const planned = syncEdit(set.family, pods, there)
            after = ownersAfter(there, planned)
            return planned
          })
          known.clear()
          for (const [address, uid] of after) known.set(address, uid)
          kept.complete = true
          return edit
        })
        return { added: edits.flatMap(({ added }) => added), removed: edits.flatMap(({ removed }) => removed) }
      }),
    heal: () =>
      inTurn(async () => {
        const edits = await onAll(each, ({ set, known }) => set.edit((there) => healEdit(known, there)))
        return edits.flatMap(({ added }) => added)
      }),
    missing: () =>
      inTurn(async () => {
        const found = await onAll(each, missingOf)
        return { sets: found.flatMap((one) => one.sets), entries: found.flatMap(({ entries }) => entries) }
      }),
    list: () => inTurn(async () => (await onAll(each, ({ set }) => set.list())).flat()),
    destroy: () => inTurn(async () => void (await onAll(each, ({ set }) => set.destroy()))),
  }
}

// internal

interface KeptSet {
  readonly set: AddressSet
  /** UIDs of pods by address, as this agent added them. */
  readonly known: Map<string, string>
  /** Generation of the set at the last check in which no entry was missing. */
  whole: number | undefined
  /** True after the first sync: every entry with a UID is known. */
  complete: boolean
}

async function missingOf(kept: KeptSet): Promise<MissingProbes> {
  const { set, known } = kept
  // Reads the generation before the entries, so that the next check notices a change during the list.
  const generation = await set.generation?.()
  if (generation !== undefined && generation === kept.whole) return { sets: [], entries: [] }
  const there = await unlessGone(set)
  const entries = healEdit(known, there ?? []).added
  kept.whole = there !== undefined && entries.length === 0 ? generation : undefined
  return { sets: there === undefined ? [probeSetNames[set.family]] : [], entries }
}

/**
 * Groups addresses by family, in the kernel's notation.
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

/** Changes of a set that give a pod exactly these addresses. */
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
      // If two pods claim an address, the pod that has it keeps it.
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

/** Lists a set. `undefined` if another process removed the set. */
async function unlessGone(set: AddressSet): Promise<readonly ProbeEntry[] | undefined> {
  try {
    return await set.list()
  } catch (error) {
    if ((isSetError(error) || isNftError(error)) && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}

/** UIDs of pods by address after a change of a set. */
function ownersAfter(there: readonly ProbeEntry[], { added, removed }: SetEdit): Map<string, string> {
  const owners = new Map<string, string>()
  for (const { address, uid } of there) if (uid !== undefined) owners.set(address, uid)
  for (const { address } of removed) owners.delete(address)
  for (const { address, uid } of added) owners.set(address, uid)
  return owners
}

/**
 * Handles the sets one after the other. If one fails, the others are still handled, and the error is thrown at the end.
 */
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
