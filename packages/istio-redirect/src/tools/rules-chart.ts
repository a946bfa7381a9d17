import { type Family, type Ruleset, rulesFor } from '@cni/iptables'
import { ruleArgs, ruleLine } from '@cni/iptables/text'

/** A flowchart of the chains: one box for each with its rules, an arrow for each jump. */
export function rulesChart(rules: Ruleset, families: readonly Family[]): string {
  const lines = ['flowchart LR']
  for (const family of families) {
    lines.push(`  subgraph ${family}`)
    const own = rulesFor(rules, family)
    for (const table of [...new Set(own.map((rule) => rule.table))].sort()) {
      const inTable = own.filter((rule) => rule.table === table)
      lines.push(`    subgraph ${family}_${table}["${table}"]`)
      const chains = inTable.flatMap(({ chain, target }) => [
        chain,
        ...(target.target === 'jump' ? [target.chain] : []),
      ])
      for (const chain of new Set(chains)) {
        const texts = inTable
          .filter((rule) => rule.chain === chain)
          .map(
            (rule) =>
              `${rule.position === undefined ? '' : `at ${rule.position}: `}${ruleLine(ruleArgs(rule, family))}`,
          )
        lines.push(`      ${family}_${table}_${chain}["${[`<b>${chain}</b>`, ...texts.map(entities)].join('<br/>')}"]`)
      }
      const jumps = inTable.flatMap(({ chain, target }) =>
        target.target === 'jump' ? [`      ${family}_${table}_${chain} --> ${family}_${table}_${target.chain}`] : [],
      )
      lines.push(...new Set(jumps), '    end')
    }
    lines.push('  end')
  }
  return `${lines.join('\n')}\n`
}

/** Mermaid takes entities in a quoted label. */
const entities = (text: string): string =>
  text.replace(/[^\w\s./:,=!-]/gu, (character) => `#${character.codePointAt(0)};`)
