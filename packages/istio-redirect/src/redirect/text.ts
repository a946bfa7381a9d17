import type { Family, Rule, Ruleset } from '@cni/iptables'
import { ruleArgs, ruleLine } from '@cni/iptables/text'

/**
 * The rules of one family as `iptables-restore` text, byte for byte as Istio writes it: tables by name, `-N` for every
 * chain, inserts where they stand. A family without rules is an empty text.
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

function tableText(table: string, rules: readonly Rule[], family: Family): string {
  const parts = rules.map((rule) => ({ rule, args: istioArgs(rule, family) }))
  const chains = [...rules.map((rule) => rule.chain), ...parts.flatMap(({ args }) => jumpedTo(args))]
  const lines = [
    `* ${table}`,
    ...[...new Set(chains)].filter((chain) => !BUILT_IN.has(chain)).map((chain) => `-N ${chain}`),
    ...parts.map(({ rule, args }) => ruleLine([...place(rule), ...args])),
    'COMMIT',
  ]
  return `${lines.join('\n')}\n`
}

const BUILT_IN = new Set(['INPUT', 'OUTPUT', 'FORWARD', 'PREROUTING', 'POSTROUTING', 'ACCEPT', 'RETURN', 'DROP'])

function place({ chain, position }: Rule): string[] {
  return position === undefined ? ['-A', chain] : ['-I', chain, String(position)]
}

/** The target of a jump without options: anything with options, such as MARK, is no chain. */
function jumpedTo(args: readonly string[]): readonly string[] {
  return args.at(-2) === '-j' ? args.slice(-1) : []
}

/** Istio spells the redirect of udp with `--to-port`; to iptables it is an abbreviation. */
function istioArgs(rule: Rule, family: Family): readonly string[] {
  const args = ruleArgs(rule, family)
  return args.includes('udp') ? args.map((arg) => (arg === '--to-ports' ? '--to-port' : arg)) : args
}
