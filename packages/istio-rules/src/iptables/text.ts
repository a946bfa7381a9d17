import type { Rule, Ruleset } from '@cni/iptables'
import { type Family, isBuiltin, ruleArgs, ruleLine, type Table } from '@cni/iptables/rules'

/**
 * Rules of one family as `iptables-restore` text, with the same bytes as Istio writes: tables sorted by name, `-N` for
 * every chain, `-I` for inserted rules. Empty text for a family without rules.
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
    ...rules.map((rule) => ruleLine([...place(rule), ...istioArgs(rule, family)])),
    'COMMIT',
  ]
  return `${lines.join('\n')}\n`
}

function place({ chain, position }: Rule): string[] {
  return position === undefined ? ['-A', chain] : ['-I', chain, String(position)]
}

/**
 * Arguments of a rule in Istio's spelling. Istio writes `--to-port` for UDP, which iptables accepts as an abbreviation.
 */
function istioArgs(rule: Rule, family: Family): readonly string[] {
  const args = ruleArgs(rule, family)
  return args.includes('udp') ? args.map((arg) => (arg === '--to-ports' ? '--to-port' : arg)) : args
}
