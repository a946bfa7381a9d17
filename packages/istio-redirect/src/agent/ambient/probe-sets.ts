import { setTimeout as delay } from 'node:timers/promises'
import { type IpSet, type Ipset, isSetError, type SetEntry } from '@cni/ipset'
import { messageOf } from '@cni/types'
import { formatAddress, parseAddress, unmapAddress } from '@cni/types/ip'

/** The sets that hold the addresses of the pods in the mesh; the comment of an entry is the UID of its pod. */
export const probeSetNames = { ipv4: 'istio-inpod-probes-v4', ipv6: 'istio-inpod-probes-v6' } as const

/** How the sets differed from what they should hold. */
export interface SyncReport {
  /** What was missing, or said another pod. */
  readonly added: readonly ProbeEntry[]
  /** What no pod has. */
  readonly removed: readonly ProbeEntry[]
}

/** An address and the UID of the pod that has it; a foreign entry may have none. */
export interface ProbeEntry {
  readonly address: string
  readonly uid: string | undefined
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
  /** Removes the set of a family that is switched off. */
  destroyUnused(): Promise<void>
  /** Removes the sets. `IN_USE` when a rule refers to one; a rule that has just been removed has a moment to be gone. */
  destroy(): Promise<void>
}

/**
 * The sets of addresses in a namespace, the node's.
 *
 * @example
 * ```ts
 * import { probeSets } from '@cni/istio-redirect/agent'
 * import { ipset } from '@cni/ipset'
 *
 * const sets = probeSets(ipset('host'), { ipv6: true })
 * export async function enrol(uid: string, addresses: readonly string[]) {
 *   await sets.create()
 *   await sets.put(uid, addresses)
 * }
 * ```
 */
export function probeSets(sets: Ipset, { ipv6 }: { readonly ipv6: boolean }): ProbeSets {
  const v4 = sets.set(probeSetNames.ipv4, specOf('ipv4'))
  const v6 = sets.set(probeSetNames.ipv6, specOf('ipv6'))
  const used = ipv6 ? [v4, v6] : [v4]
  // To look who has an address and to delete it are two steps, between which nobody may give it to another pod.
  const inTurn = queue()
  return {
    create: () => inTurn(async () => void (await each(used, (set) => set.create()))),
    put: (uid, addresses) =>
      inTurn(async () => {
        const wanted = byFamily(addresses)
        await each(used, async (set) => {
          const own = wanted[set.spec.family]
          await set.add(own.map((entry) => ({ entry, comment: uid })))
          const stale = (await set.list()).filter(({ entry, comment }) => comment === uid && !own.includes(entry))
          await set.delete(stale.map(({ entry }) => entry))
        })
        return ipv6 ? [] : wanted.ipv6
      }),
    drop: (uid) =>
      inTurn(async () => (await each(used, (set) => set.deleteByComment(uid))).flat().map(({ entry }) => entry)),
    sync: (pods) =>
      inTurn(async () => {
        const reports = await each(used, (set) => syncSet(set, pods))
        return { added: reports.flatMap(({ added }) => added), removed: reports.flatMap(({ removed }) => removed) }
      }),
    list: () => inTurn(async () => (await each(used, (set) => set.list())).flat().map(probeEntry)),
    destroyUnused: () => inTurn(async () => void (await each(ipv6 ? [] : [v6], destroyOnceFree))),
    destroy: () => inTurn(async () => void (await each([v4, v6], destroyOnceFree))),
  }
}

// internal

const specOf = (family: 'ipv4' | 'ipv6') => ({ type: 'hash:ip', family, comment: true }) as const

type ProbeSet = IpSet<ReturnType<typeof specOf>>

type Addresses = Readonly<Record<'ipv4' | 'ipv6', string[]>>

/** In the spelling of the kernel. What is no address is left to the set, which refuses it. */
function byFamily(addresses: readonly string[]): Addresses {
  const found: Addresses = { ipv4: [], ipv6: [] }
  for (const text of addresses) {
    const bytes = parseAddress(text)
    const plain = bytes && unmapAddress(bytes)
    found[plain?.length === 16 ? 'ipv6' : 'ipv4'].push(plain === undefined ? text : formatAddress(plain))
  }
  return found
}

async function syncSet(set: ProbeSet, pods: ReadonlyMap<string, readonly string[]>): Promise<SyncReport> {
  const owners = new Map<string, string[]>()
  for (const [uid, addresses] of pods) {
    for (const address of byFamily(addresses)[set.spec.family])
      owners.set(address, [...(owners.get(address) ?? []), uid])
  }
  const there = new Map((await set.list()).map((entry) => [entry.entry, entry]))
  const added = [...owners].flatMap(([address, uids]): Required<Pick<SetEntry, 'entry' | 'comment'>>[] => {
    const comment = uids.at(-1)
    // Of two pods that claim an address the one that has it keeps it.
    return comment === undefined || uids.includes(there.get(address)?.comment ?? '')
      ? []
      : [{ entry: address, comment }]
  })
  const removed = [...there.values()].filter(
    ({ entry, comment }) => !owners.has(entry) && !(comment !== undefined && pods.get(comment)?.length === 0),
  )
  await set.add(added)
  await set.delete(removed.map(({ entry }) => entry))
  return { added: added.map(probeEntry), removed: removed.map(probeEntry) }
}

/** The kernel says that a rule is gone before it has let go of the set: it frees rules in a thread of its own. */
async function destroyOnceFree(set: ProbeSet): Promise<void> {
  const deadline = performance.now() + 2000
  for (let pauseMs = 2; ; pauseMs = Math.min(pauseMs * 2, 100)) {
    try {
      return await set.destroy()
    } catch (error) {
      if (!isSetError(error) || error.code !== 'IN_USE' || performance.now() > deadline) throw error
    }
    await delay(pauseMs)
  }
}

const probeEntry = ({ entry, comment }: SetEntry): ProbeEntry => ({ address: entry, uid: comment })

/** One after the other; a set that fails does not keep the others from being worked on. */
async function each<T>(sets: readonly ProbeSet[], work: (set: ProbeSet) => Promise<T>): Promise<T[]> {
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
