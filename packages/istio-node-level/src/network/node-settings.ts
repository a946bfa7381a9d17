import { type NetnsTarget, sysctl } from '@cni/netns'
import { withoutReversePath } from './network-plan.ts'

/** Map from names to original values of the node's sysctls, to restore when the redirection is removed. */
export type NodeSettings = ReadonlyMap<string, string>

/** Reads the node's sysctls that node-level redirection changes. The result maps names to values. */
export async function nodeSettings(netns: NetnsTarget): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const { name } of withoutReversePath(['default', 'all'])) {
    const value = await sysctl(netns).get(name)
    if (value !== undefined) found.set(name, value)
  }
  return found
}

/** Restores the original values of the node's sysctls, when the redirection is removed. */
export async function restoreSettings(netns: NetnsTarget, before: NodeSettings): Promise<void> {
  for (const [name, value] of before) await sysctl(netns).set(name, value)
}
