import type { Rule, Ruleset } from '@cni/iptables'
import { families, isBuiltin, rulesFor } from '@cni/iptables/rules'

/**
 * Finds rules of an earlier configuration that the present configuration lacks. Returns only rules that must be deleted
 * one by one. These rules are in built-in chains and do not jump to our chains.
 */
export function rulesLeftBehind(earlier: Ruleset, present: Ruleset): Rule[] {
  return families.flatMap((family) => {
    const remaining = new Set(rulesFor(present, family).map(identity))
    return rulesFor(earlier, family)
      .filter(({ table, chain, target }) => isBuiltin(table, chain) && target.target !== 'jump')
      .filter((rule) => !remaining.has(identity(rule)))
      .map((rule): Rule => ({ ...rule, family }))
  })
}

const identity = ({ family: _, ...rule }: Rule): string => JSON.stringify(rule)
