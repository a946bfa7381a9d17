import { setTimeout as delay } from 'node:timers/promises'
import { type IpSet, ipset, isSetError } from '@cni/ipset'
import type { NetnsTarget } from '@cni/netns'
import type { EnrolledAddress } from '../kernel-side.ts'
import { POD_SET } from '../names.ts'

const spec = { type: 'hash:ip', family: 'ipv4', comment: true } as const

/** ipset set with the addresses of all pods in the mesh. The comment of each entry is the pod's UID. */
export const podSet = (netns: NetnsTarget): IpSet<typeof spec> => ipset(netns).set(POD_SET, spec)

/** Reads the ipset entries of enrolled addresses. `undefined` if the ipset set does not exist. */
export async function podEntries(netns: NetnsTarget): Promise<EnrolledAddress[] | undefined> {
  try {
    return (await podSet(netns).list()).map(({ entry, comment }) => ({ address: entry, uid: comment }))
  } catch (error) {
    if (isSetError(error) && (error.code === 'NOT_FOUND' || error.code === 'NO_KERNEL')) return undefined
    throw error
  }
}

/** Adds addresses of pods to the ipset set, or replaces their UIDs. */
export async function putEntries(
  netns: NetnsTarget,
  entries: readonly { readonly address: string; readonly uid: string }[],
  there: readonly EnrolledAddress[],
  undo: (step: () => unknown) => void,
): Promise<void> {
  const set = podSet(netns)
  for (const { address, uid } of entries) {
    const before = there.find((each) => each.address === address)
    undo(() => (before === undefined ? set.delete(address) : set.add(entryOf(before))))
    await set.add({ entry: address, comment: uid })
  }
}

/**
 * Removes addresses from the ipset set of enrolled pods. Registers rollback steps with `undo`, which add the addresses
 * again.
 */
export async function dropEntries(
  netns: NetnsTarget,
  entries: readonly EnrolledAddress[],
  undo: (step: () => unknown) => void,
): Promise<void> {
  for (const entry of entries) {
    undo(() => podSet(netns).add(entryOf(entry)))
    await podSet(netns).delete(entry.address)
  }
}

/** Destroys the ipset set of enrolled addresses. Retries, because the kernel frees deleted rules late. */
export async function destroyPodSet(netns: NetnsTarget): Promise<void> {
  const deadline = performance.now() + 2000
  for (let pauseMs = 2; ; pauseMs = Math.min(pauseMs * 2, 100)) {
    try {
      return await podSet(netns).destroy()
    } catch (error) {
      if (isSetError(error) && error.code === 'NO_KERNEL') return
      if (!isSetError(error) || error.code !== 'IN_USE' || performance.now() > deadline) throw error
    }
    await delay(pauseMs)
  }
}

// internal

const entryOf = ({ address, uid }: EnrolledAddress) => (uid === undefined ? address : { entry: address, comment: uid })
