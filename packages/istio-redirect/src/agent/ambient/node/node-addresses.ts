import type { BranchInterfaces } from './branch-interfaces.ts'
import type { ProbeSets } from './probe-sets.ts'

/** Updates the policy rules for AWS branch interfaces with each change of a pod's addresses. */
export function nodeAddresses(
  sets: ProbeSets,
  branches: BranchInterfaces | undefined,
): Pick<ProbeSets, 'put' | 'drop' | 'sync'> {
  if (branches === undefined) return sets
  const known = new Map<string, readonly string[]>()
  const route = async (uid: string, addresses: readonly string[]): Promise<void> => {
    const former = (known.get(uid) ?? []).filter((address) => !addresses.includes(address))
    if (addresses.length === 0) known.delete(uid)
    else known.set(uid, addresses)
    await branches.remove(former)
    await branches.add(addresses)
  }
  return {
    async put(uid, addresses) {
      const off = await sets.put(uid, addresses)
      await route(uid, addresses)
      return off
    },
    async drop(uid) {
      const dropped = await sets.drop(uid)
      await route(uid, [])
      return dropped
    },
    async sync(pods) {
      const report = await sets.sync(pods)
      for (const [uid, addresses] of pods) await route(uid, addresses)
      return report
    },
  }
}
