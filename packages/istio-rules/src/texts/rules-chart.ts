import type { Ruleset } from '@cni/iptables'
import { type Family, ruleArgs, ruleLine, rulesFor } from '@cni/iptables/rules'
import { type Ruleset as NftRuleset, ruleText } from '@cni/nftables/rules'

/** Iptables or nftables rule of a chain, as a line in the Mermaid chart. */
interface Line {
  readonly table: string
  readonly chain: string
  readonly text: string
  /** Name of the chain to which the rule jumps. */
  readonly to?: string | undefined
}

/** Draws a Mermaid flowchart of a ruleset: a box per chain, and an arrow per jump. */
export function rulesChart(rules: Ruleset, families: readonly Family[]): string {
  return chart(
    families.map((family) => [
      family,
      rulesFor(rules, family).map((rule) => ({
        table: rule.table,
        chain: rule.chain,
        text: `${rule.position === undefined ? '' : `at ${rule.position}: `}${ruleLine(ruleArgs(rule, family))}`,
        to: rule.target.target === 'jump' ? rule.target.chain : undefined,
      })),
    ]),
  )
}

/** Draws a Mermaid flowchart of the nftables rules of Istio's native mode. */
export function nativeChart({ tables }: NftRuleset): string {
  const lines = tables.flatMap(({ family, name: table, chains }) =>
    chains.flatMap(({ name: chain, rules }) =>
      rules.map((rule) => ({
        ...{ table, chain, text: ruleText(rule, family) },
        to: rule.statements.flatMap((statement) => (statement.kind === 'jump' ? [statement.chain] : []))[0],
      })),
    ),
  )
  return chart([['inet', lines]])
}

function chart(parts: readonly (readonly [name: string, lines: readonly Line[]])[]): string {
  const lines = ['flowchart LR']
  for (const [part, own] of parts) {
    lines.push(`  subgraph ${part}`)
    for (const table of [...new Set(own.map((line) => line.table))].sort()) {
      const inTable = own.filter((line) => line.table === table)
      const box = (chain: string) => `${part}_${table}_${chain}`
      lines.push(`    subgraph ${part}_${table}["${table}"]`)
      for (const chain of new Set(inTable.flatMap(({ chain, to }) => (to === undefined ? [chain] : [chain, to])))) {
        const texts = inTable.filter((line) => line.chain === chain).map(({ text }) => entities(text))
        lines.push(`      ${box(chain)}["${[`<b>${chain}</b>`, ...texts].join('<br/>')}"]`)
      }
      const jumps = inTable.flatMap(({ chain, to }) => (to === undefined ? [] : [`      ${box(chain)} --> ${box(to)}`]))
      lines.push(...new Set(jumps), '    end')
    }
    lines.push('  end')
  }
  return `${lines.join('\n')}\n`
}

/** Encodes special characters of a rule as Mermaid entities, for a quoted label in the chart. */
const entities = (text: string): string =>
  text.replace(/[^\w\s./:,=!-]/gu, (character) => `#${character.codePointAt(0)};`)
