import { setTimeout as delay } from 'node:timers/promises'
import { type Ipset, isSetError } from '@cni/ipset'
import { probeSetNames } from '@cni/istio-rules'

/** Address of a pod in an address set. Entries of other programs may have no UID. */
export interface ProbeEntry {
  /** IP address of a pod in the kernel's notation. */
  readonly address: string
  readonly uid: string | undefined
}

/** Entries to add to an address set, and entries to remove from it. */
export interface SetEdit {
  /** Entries to add to the address set. An address that the set already has gets the new UID. */
  readonly added: readonly { readonly address: string; readonly uid: string }[]
  readonly removed: readonly ProbeEntry[]
}

/** Set with the addresses of pods in the mesh, for IPv4 or for IPv6, in ipset or nftables. */
export interface AddressSet {
  readonly family: 'ipv4' | 'ipv6'
  create(): Promise<void>
  list(): Promise<ProbeEntry[]>
  /** Returns a number that changes with every change of the address set. Absent without kernel support. */
  generation?(): Promise<number>
  /** Reads the entries of the address set, and applies the changes that `plan` returns for these entries. */
  edit(plan: (there: readonly ProbeEntry[]) => SetEdit): Promise<SetEdit>
  /** Applies changes to the address set without reading its entries. An existing entry gets the new UID. */
  write(edit: SetEdit): Promise<SetEdit>
  destroy(): Promise<void>
}

/** Creates an address set of the node as an ipset set. */
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

/** Destroys ipset sets that the node's rules do not need. */
export async function removeIpsets(sets: readonly AddressSet[]): Promise<void> {
  for (const set of sets) await unlessNoIpset(() => set.destroy(), undefined)
}

/** Lists the names of all ipset sets in a network namespace. Empty if the kernel or the node lacks ipset. */
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

/** Destroys an ipset set. Retries, because the kernel frees deleted rules late. */
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
