import { mutex } from '@cni/host'
import { isSetError } from '@cni/ipset'
import { probeSetNames } from '@cni/istio-rules'
import { isNftError } from '@cni/nftables'
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

/** What somebody else took out of the sets. */
export interface MissingProbes {
  /** Names of sets that are not there at all. */
  readonly sets: readonly string[]
  readonly entries: readonly ProbeEntry[]
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
  /**
   * Puts back what somebody else took out since, or gave to another pod, and returns it. Entries that were not put in here
   * are left alone: who did, such as an agent that takes the place of this one, knows better.
   */
  heal(): Promise<ProbeEntry[]>
  /** What {@link ProbeSets.heal} would put back; only reads. */
  missing(): Promise<MissingProbes>
  list(): Promise<ProbeEntry[]>
  /** Removes the sets. `IN_USE` when a rule refers to one; a rule that has just been removed has a moment to be gone. */
  destroy(): Promise<void>
}

/** The sets of the families that are in use, one each. */
export function probeSets(sets: readonly AddressSet[]): ProbeSets {
  // To look who has an address and to delete it are two steps, between which nobody may give it to another pod.
  const inTurn = mutex()
  const each = sets.map((set): KeptSet => ({ set, known: new Map(), whole: undefined, complete: false }))
  const ownOnly = (uid: string, own: Readonly<Record<'ipv4' | 'ipv6', readonly string[]>>, isDropped = false) =>
    onAll(each, async (kept) => {
      const { set, known } = kept
      const addresses = own[set.family]
      const isNew = kept.complete && !isDropped && ![...known.values()].includes(uid)
      if (isNew && addresses.length === 0) return { added: [], removed: [] }
      kept.whole = undefined
      // First: what cannot be written now is written when it heals.
      for (const [address, owner] of known) if (owner === uid) known.delete(address)
      for (const address of addresses) known.set(address, uid)
      // A look takes as long as there are pods, and a pod that is new has nothing to be found.
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
  /** Who has which address, as it was put in here. */
  readonly known: Map<string, string>
  /** The generation in which nothing was missing. */
  whole: number | undefined
  /** Every entry with a UID is known: the set was in agreement with all pods once. */
  complete: boolean
}

async function missingOf(kept: KeptSet): Promise<MissingProbes> {
  const { set, known } = kept
  // Before the look: what happens during it counts as a change afterwards.
  const generation = await set.generation?.()
  if (generation !== undefined && generation === kept.whole) return { sets: [], entries: [] }
  const there = await unlessGone(set)
  const entries = healEdit(known, there ?? []).added
  kept.whole = there !== undefined && entries.length === 0 ? generation : undefined
  return { sets: there === undefined ? [probeSetNames[set.family]] : [], entries }
}

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

function healEdit(known: ReadonlyMap<string, string>, there: readonly ProbeEntry[]): SetEdit {
  const present = new Map(there.map(({ address, uid }) => [address, uid]))
  const added = [...known].flatMap(([address, uid]) => (present.get(address) === uid ? [] : [{ address, uid }]))
  return { added, removed: [] }
}

/** What a set holds; `undefined` when somebody removed it. */
async function unlessGone(set: AddressSet): Promise<readonly ProbeEntry[] | undefined> {
  try {
    return await set.list()
  } catch (error) {
    if ((isSetError(error) || isNftError(error)) && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}

/** Who has which address once a set was changed. */
function ownersAfter(there: readonly ProbeEntry[], { added, removed }: SetEdit): Map<string, string> {
  const owners = new Map<string, string>()
  for (const { address, uid } of there) if (uid !== undefined) owners.set(address, uid)
  for (const { address } of removed) owners.delete(address)
  for (const { address, uid } of added) owners.set(address, uid)
  return owners
}

/** One after the other; a set that fails does not keep the others from being worked on. */
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
