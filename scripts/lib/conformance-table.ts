import type { Report } from '@cni/conformance'

/** A plugin in the table of docs/conformance.md, with its configuration and its package. */
export interface Subject {
  readonly name: string
  /** Package and version of the plugin: `Debian containernetworking-plugins 1.1.1` or `cni-ts 0.1.0`. */
  readonly origin: string
  readonly kind: 'main' | 'chained'
}

/** A plugin in the conformance table with its test report, or the reason why the report is missing. */
export type Row = Subject & { readonly report: Report | { readonly problem: string } }

const words = { conforms: '✓ conforms', violations: '✕ violations', incomplete: '– incomplete' } as const

/** Text of the page `docs/conformance.md`, from the reports of all plugins. */
export function conformancePage(rows: readonly Row[], { date, kernel }: { date: string; kernel: string }): string {
  return `# Conformance

This page answers: which CNI plugins conform to the specification? It has the results of [\`cni-conformance\`](../packages/conformance/README.md) for Debian's plugins and ours. The suite runs every check of the specification that concerns a plugin, with real pods in temporary namespaces.

\`npm run conformance\` generated this page on ${date}, on Linux ${kernel}.

| plugin | of | kind | verdict | passed | violations | advice | not checked |
|---|---|---|---|---|---|---|---|
${rows.map(rowText).join('\n')}

- **violation**: the plugin breaks a rule that the specification requires or that every runtime relies on.
- **advice**: the plugin does not follow a recommendation. For example, errors of Go plugins have no \`cniVersion\`.
- **not checked**: ADD did not work on this machine, because a device or a kernel module is missing.

## What was found

${rows.flatMap(findingsOf).join('\n\n')}
`
}

// internal

function rowText({ name, origin, kind, report }: Row): string {
  const cells =
    'problem' in report
      ? [`could not be run: ${cell(report.problem)}`, '', '', '', '']
      : [
          words[report.verdict],
          report.counts.pass,
          report.counts.violation,
          report.counts.advice,
          report.unchecked.reduce((sum, { checks }) => sum + checks.length, 0),
        ]
  return `| \`${name}\` | ${origin} | ${kind} | ${cells.join(' | ')} |`
}

function findingsOf({ name, report }: Row): string[] {
  if ('problem' in report) return []
  const found = report.results.flatMap(({ id, outcome }) =>
    outcome.status === 'fail' ? outcome.findings.map((finding) => ({ id, ...finding })) : [],
  )
  const lines = found.map(({ id, severity, summary }) => `- ${severity}, \`${id}\`: ${cell(summary)}`)
  const unchecked = report.unchecked.map(({ reason, checks }) => `- not checked (${checks.length}): ${cell(reason)}`)
  const all = [...lines, ...unchecked]
  return all.length === 0 ? [] : [`### ${name}\n\n${all.slice(0, MAX_LINES).join('\n')}${more(all.length)}`]
}

const MAX_LINES = 12

const more = (count: number): string => (count > MAX_LINES ? `\n- and ${count - MAX_LINES} more` : '')

/** Escapes a text for a cell of a Markdown table: one line, without HTML and without column separators. */
const cell = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[|<>`*_[\]]/g, (char) => `\\${char}`)
    .slice(0, 300)
