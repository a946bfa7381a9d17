import type { Rule, Ruleset } from '@cni/iptables'
import { type Family, isBuiltin, ruleArgs, ruleLine, type Table } from '@cni/iptables/rules'

/**
 * Prints the rules of one family as `iptables-restore` text, as Istio does. Returns '' if the family has no rules.
 *
 * @example
 * iptables(c, { print: istioRestoreText })
 */
export function istioRestoreText({ rules }: Ruleset, family: Family): string {
  const own = rules.filter((rule) => rule.family === undefined || rule.family === family)
  const tables = [...new Set(own.map((rule) => rule.table))].sort()
  return tables
    .map((table) =>
      tableText(
        table,
        own.filter((rule) => rule.table === table),
        family,
      ),
    )
    .join('')
}

function tableText(table: Table, rules: readonly Rule[], family: Family): string {
  const own = rules.map((rule) => rule.chain).filter((chain) => !isBuiltin(table, chain))
  const jumpedTo = rules.flatMap(({ target }) => (target.target === 'jump' ? [target.chain] : []))
  const lines = [
    `* ${table}`,
    ...[...new Set([...own, ...jumpedTo])].map((chain) => `-N ${chain}`),
    ...rules.map((rule) => ruleLine([...positionArgs(rule), ...istioArgs(rule, family)])),
    'COMMIT',
  ]
  return `${lines.join('\n')}\n`
}

function positionArgs({ chain, position }: Rule): string[] {
  return position === undefined ? ['-A', chain] : ['-I', chain, String(position)]
}

/** Prints the arguments of a rule as Istio spells them, with `--to-port` for UDP. */
function istioArgs(rule: Rule, family: Family): readonly string[] {
  const args = ruleArgs(rule, family)
  return args.includes('udp') ? args.map((arg) => (arg === '--to-ports' ? '--to-port' : arg)) : args
}
