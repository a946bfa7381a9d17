import type { Rule, Ruleset } from '@cni/iptables'
import { families, isBuiltin, rulesFor } from '@cni/iptables/rules'

/**
 * The earlier rules in built-in chains that are not among the present ones. Applying the present rules does not remove
 * them: they lead to no chain of ours, so nothing tells whose they are. Jumps to own chains go with those chains.
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
