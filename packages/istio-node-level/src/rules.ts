import { type IptablesOptions, iptables, type Ruleset } from '@cni/iptables'
import { driftText } from '@cni/iptables/rules'
import type { Place } from '@cni/netns/handle'

/** Options for writing rules. */
export type RulesBy = Pick<IptablesOptions, 'backend' | 'programs'>

/** Namespace, and a function that receives rollback steps. */
export type Undone = Place & { undo(step: () => unknown): void }

/** Applies rules. Resolves to the differences that it corrected. */
export async function applyRules(place: Undone, rules: Ruleset, by: RulesBy): Promise<string[]> {
  const drift = await rulesDrift(place.netns, rules, by)
  if (drift.length > 0) await iptables(place, by).apply(rules)
  return drift
}

/** Describes differences from rules. */
export async function rulesDrift(netns: Place['netns'], rules: Ruleset, by: RulesBy): Promise<string[]> {
  return driftText(await iptables(netns, by).diff(rules))
    .split('\n')
    .filter((line) => line !== '')
}
