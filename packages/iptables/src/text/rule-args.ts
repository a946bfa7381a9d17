import { invalid } from '../errors.ts'
import type { Family, Rule } from '../rules/model.ts'
import { pushMatch } from './match-args.ts'
import { pushTarget } from './target-args.ts'

/**
 * iptables tokens of a rule in the author's order, without `-A CHAIN`.
 *
 * @example
 * ```ts
 * import { ruleArgs } from '@cni/iptables/rules'
 * import { ruleset } from '@cni/iptables'
 *
 * const { rules } = ruleset({ nat: ['EX'] }, (t) => [t.nat.on('EX').out('lo').proto('tcp').not.dport(15008).return()])
 * export const tokens = rules.map((rule) => ruleArgs(rule, 'ipv4')) // [['-o', 'lo', '-p', 'tcp', '!', '--dport', …
 * ```
 */
export function ruleArgs(rule: Rule, family: Family): string[] {
  if (rule.family !== undefined && rule.family !== family) {
    invalid(`${rule.table} ${rule.chain}: the rule is for ${rule.family} only and has no ${family} text`)
  }
  const out: string[] = []
  for (const match of rule.matches) pushMatch(out, match, family)
  pushTarget(out, rule.target, family)
  return out
}
