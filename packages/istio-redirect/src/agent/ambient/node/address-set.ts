import { setTimeout as delay } from 'node:timers/promises'
import { type Ipset, isSetError } from '@cni/ipset'
import { probeSetNames } from '@cni/istio-rules'

/** Address in a set, with the UID of its pod. An entry of another program may have no UID. */
export interface ProbeEntry {
  /** Address in the kernel's notation. */
  readonly address: string
  readonly uid: string | undefined
}

/** Changes to an address set. */
export interface SetEdit {
  /** Entries that are new or get another UID. */
  readonly added: readonly { readonly address: string; readonly uid: string }[]
  readonly removed: readonly ProbeEntry[]
}

/** Set of addresses of one family, in ipset or nftables. */
export interface AddressSet {
  readonly family: 'ipv4' | 'ipv6'
  create(): Promise<void>
  list(): Promise<ProbeEntry[]>
  /**
   * Number that changes with every change of the set, by any process. Absent if only a list of all entries shows
   * changes.
   */
  generation?(): Promise<number>
  /** Reads the set and applies the changes that `plan` returns for its entries. */
  edit(plan: (there: readonly ProbeEntry[]) => SetEdit): Promise<SetEdit>
  /** Applies changes without reading the set. An existing entry gets the new UID. */
  write(edit: SetEdit): Promise<SetEdit>
  destroy(): Promise<void>
}

/** Creates an address set in ipset. */
export function ipsetOf(sets: Ipset, family: 'ipv4' | 'ipv6'): AddressSet {
  const set = sets.set(probeSetNames[family], { type: 'hash:ip', family, comment: true } as const)
  const list = async () => (await set.list()).map(({ entry, comment }) => ({ address: entry, uid: comment }))
  const write = async (edit: SetEdit): Promise<SetEdit> => {
    await set.add(edit.added.map(({ address, uid }) => ({ entry: address, comment: uid })))
    await set.delete(edit.removed.map(({ address }) => address))
    return edit
  }
  return {
    family,
    create: () => set.create(),
    list,
    edit: async (plan) => write(plan(await list())),
    write,
    destroy: () => destroyOnceFree(() => set.destroy()),
  }
}

/** Removes unneeded ipset sets. Does nothing if ipset is unavailable. */
export async function removeIpsets(sets: readonly AddressSet[]): Promise<void> {
  for (const set of sets) await unlessNoIpset(() => set.destroy(), undefined)
}

/** Names of all ipset sets in a namespace. Empty if ipset is unavailable. */
export const ipsetNames = async (sets: Ipset): Promise<string[]> =>
  (await unlessNoIpset(() => sets.list(), [])).map(({ name }) => name)

// internal

async function unlessNoIpset<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isSetError(error) && (error.code === 'NO_KERNEL' || error.code === 'NO_BINARY')) return otherwise
    throw error
  }
}

/**
 * Retries while the set is in use. The kernel frees a deleted rule, and its reference to the set, in a separate thread.
 */
async function destroyOnceFree(destroy: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + 2000
  for (let pauseMs = 2; ; pauseMs = Math.min(pauseMs * 2, 100)) {
    try {
      return await destroy()
    } catch (error) {
      if (!isSetError(error) || error.code !== 'IN_USE' || performance.now() > deadline) throw error
    }
    await delay(pauseMs)
  }
}
