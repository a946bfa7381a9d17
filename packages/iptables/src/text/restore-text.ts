import { checkTablesAndChains } from '../rules/check-chains.ts'
import { chainsFor, type Family, type Rule, type Ruleset, rulesFor, type Table, tables } from '../rules/model.ts'
import { ruleLine } from './quote.ts'
import { ruleArgs } from './rule-args.ts'

/**
 * Text of a first `apply` for `iptables-restore --noflush`. Equal rulesets give equal bytes. A family without rules
 * gives an empty text. A second run fails at `-N` and writes no rule twice.
 *
 * @example
 * ```ts
 * import { restoreText } from '@cni/iptables/rules'
 * import { ruleset } from '@cni/iptables'
 *
 * const rules = ruleset({ filter: [] }, (t) => [t.filter.on('INPUT').only('ipv6').proto('icmpv6').accept()])
 * restoreText(rules, 'ipv6') // '*filter\n-A INPUT -p icmpv6 -j ACCEPT\nCOMMIT\n'
 * restoreText(rules, 'ipv4') // ''
 * ```
 */
export function restoreText(rules: Ruleset, family: Family): string {
  checkTablesAndChains(rules)
  const texts = new Map<Table, string>()
  for (const { table, name } of chainsFor(rules, family)) texts.set(table, `${texts.get(table) ?? ''}-N ${name}\n`)
  for (const rule of rulesFor(rules, family)) {
    texts.set(rule.table, `${texts.get(rule.table) ?? ''}${ruleCommand(rule, family)}\n`)
  }
  let text = ''
  for (const table of tables) {
    const body = texts.get(table)
    if (body !== undefined) text += `*${table}\n${body}COMMIT\n`
  }
  return text
}

/** Rule as a line of restore text: `-A CHAIN …` or `-I CHAIN position …`. */
export function ruleCommand(rule: Rule, family: Family): string {
  const line = ruleLine(ruleArgs(rule, family))
  const head = rule.position === undefined ? `-A ${rule.chain}` : `-I ${rule.chain} ${rule.position}`
  return line === '' ? head : `${head} ${line}`
}
