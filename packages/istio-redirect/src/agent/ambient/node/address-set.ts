import { setTimeout as delay } from 'node:timers/promises'
import { type Ipset, isSetError } from '@cni/ipset'
import { probeSetNames } from '@cni/istio-rules'

/** An address and the UID of the pod that has it; a foreign entry may have none. */
export interface ProbeEntry {
  /** As the kernel spells it. */
  readonly address: string
  readonly uid: string | undefined
}

/** What is to be changed in a set. */
export interface SetEdit {
  /** New, or with another UID. */
  readonly added: readonly { readonly address: string; readonly uid: string }[]
  readonly removed: readonly ProbeEntry[]
}

/** A set of addresses of one family, whatever holds it. */
export interface AddressSet {
  readonly family: 'ipv4' | 'ipv6'
  create(): Promise<void>
  list(): Promise<ProbeEntry[]>
  /** A number that is another one after every change, by whomever. Absent where only a look at all entries tells. */
  generation?(): Promise<number>
  /** Reads the set, and changes what `plan` says then. */
  edit(plan: (there: readonly ProbeEntry[]) => SetEdit): Promise<SetEdit>
  /** Changes this without looking; what is there with another UID gets this one. */
  write(edit: SetEdit): Promise<SetEdit>
  destroy(): Promise<void>
}

/** A set of `ipset`. */
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

/** Removes sets of `ipset` that should not be there; where there is no `ipset` at all there are none. */
export async function removeIpsets(sets: readonly AddressSet[]): Promise<void> {
  for (const set of sets) await unlessNoIpset(() => set.destroy(), undefined)
}

/** The names of all sets of a namespace; none where there is no `ipset` at all. */
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

/** The kernel says that a rule is gone before it has let go of the set: it frees rules in a thread of its own. */
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
