import type { Rule, Ruleset } from '@cni/iptables'
import { families, isBuiltin, rulesFor } from '@cni/iptables/rules'

/**
 * Rules of an earlier configuration in built-in chains that the present configuration does not contain. Applying the
 * present configuration does not remove such a rule: the rule jumps to no chain of ours, so our code cannot recognise
 * the rule. Jumps to our chains are removed with our chains.
 */
export function rulesLeftBehind(earlier: Ruleset, present: Ruleset): Rule[] {
  return families.flatMap((family) => {
    const kept = new Set(rulesFor(present, family).map(identity))
    return rulesFor(earlier, family)
      .filter(({ table, chain, target }) => isBuiltin(table, chain) && target.target !== 'jump')
      .filter((rule) => !kept.has(identity(rule)))
      .map((rule): Rule => ({ ...rule, family }))
  })
}

const identity = ({ family: _, ...rule }: Rule): string => JSON.stringify(rule)
