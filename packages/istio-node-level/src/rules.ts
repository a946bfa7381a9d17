import { type IptablesOptions, iptables, type Ruleset } from '@cni/iptables'
import { driftText } from '@cni/iptables/rules'
import type { Place } from '@cni/netns/handle'

/** How rules are written. */
export type RulesBy = Pick<IptablesOptions, 'backend' | 'programs'>

/** A namespace, and where inverse steps go. */
export type Undone = Place & { undo(step: () => unknown): void }

/** Brings rules in; returns what was not as it should be. */
export async function applyRules(place: Undone, rules: Ruleset, by: RulesBy): Promise<string[]> {
  const drift = await rulesDrift(place.netns, rules, by)
  if (drift.length > 0) await iptables(place, by).apply(rules)
  return drift
}

/** What of rules is not as it should be, in words. */
export async function rulesDrift(netns: Place['netns'], rules: Ruleset, by: RulesBy): Promise<string[]> {
  return driftText(await iptables(netns, by).diff(rules))
    .split('\n')
    .filter((line) => line !== '')
}
