import type { Rule, Ruleset } from '@cni/iptables'
import { families, isBuiltin, rulesFor } from '@cni/iptables/rules'

/**
 * Earlier rules in built-in chains that the present rules do not contain. Applying the present rules does not remove
 * them: they do not jump to our chains, so they cannot be recognised as ours. Jumps to our chains are removed with
 * those chains.
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
