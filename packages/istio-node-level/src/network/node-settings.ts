import { type NetnsTarget, sysctl } from '@cni/netns'
import { withoutReversePath } from './network-plan.ts'

/**
 * Previous values of the node's settings, by name. They belong to no link of ours, and have to be restored at the end.
 */
export type NodeSettings = ReadonlyMap<string, string>

/** Reads the settings of a node, by name, that node-level redirection changes. */
export async function nodeSettings(netns: NetnsTarget): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const { name } of withoutReversePath(['default', 'all'])) {
    const value = await sysctl(netns).get(name)
    if (value !== undefined) found.set(name, value)
  }
  return found
}

/** Restores the previous values of the node's settings. */
export async function restoreSettings(netns: NetnsTarget, before: NodeSettings): Promise<void> {
  for (const [name, value] of before) await sysctl(netns).set(name, value)
}
