import { type IptablesOptions, iptables, type Ruleset } from '@cni/iptables'
import { driftText } from '@cni/iptables/rules'
import type { Place } from '@cni/netns/handle'

/**
 * Options for writing rules. `backend` selects the iptables variant. `programs` selects the iptables programs or
 * netlink.
 */
export type RulesBy = Pick<IptablesOptions, 'backend' | 'programs'>

/** Network namespace with the method `undo`, which registers a rollback step. */
export type RollbackNamespace = Place & { undo(step: () => unknown): void }

/** Writes iptables rules if the namespace's rules differ. Resolves to the corrected differences. */
export async function applyRules(namespace: RollbackNamespace, rules: Ruleset, by: RulesBy): Promise<string[]> {
  const drift = await rulesDrift(namespace.netns, rules, by)
  if (drift.length > 0) await iptables(namespace, by).apply(rules)
  return drift
}

/** Describes differences between the iptables rules of a namespace and the wanted rules. */
export async function rulesDrift(netns: Place['netns'], rules: Ruleset, by: RulesBy): Promise<string[]> {
  return driftText(await iptables(netns, by).diff(rules))
    .split('\n')
    .filter((line) => line !== '')
}
