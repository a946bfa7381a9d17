import { replaceUnsafe } from '@cni/types'
import { groupBy } from '../group-by.ts'
import type { CheckResult, Finding, Report } from '../model.ts'
import { exchangeLines } from './exchange-lines.ts'

type Paint = (text: string) => string

/**
 * Formats the report as text for users.
 *
 * @param options - `colour` adds ANSI colours. Default: false.
 */
export function renderText(report: Report, options: { readonly colour?: boolean } = {}): string {
  const paint = painter(options.colour ?? false)
  const { counts } = report
  const blocked = counts.blocked > 0 ? `, ${counts.blocked} not made` : ''
  const claims = printable(report.supportedVersions?.join(' ') ?? 'unknown')
  const lines = [
    paint.bold(`${report.plugin}${report.chained ? ' (chained)' : ''}`),
    `supports ${claims}; checked with ${report.version}, ${report.executions} executions in ${(report.durationMs / 1000).toFixed(1)} s`,
    ...unchecked(report, paint),
    ...findings(report, 'violation', paint.red('VIOLATIONS'), paint),
    ...findings(report, 'advice', paint.yellow('ADVICE'), paint),
    ...notes(report, paint),
    '',
    `${counts.pass} passed, ${plural(counts.violation, 'violation')}, ${counts.advice} of advice, ${plural(counts.note, 'note')}, ${counts.skipped} skipped${blocked}`,
    verdict(report, paint),
  ]
  return `${lines.join('\n')}\n`
}

function unchecked(report: Report, paint: Painter): string[] {
  if (report.unchecked.length === 0) return []
  const reasons = report.unchecked.flatMap(({ reason, checks }) => [
    `  - ${printable(reason)}`,
    paint.dim(`    ${checks.join(', ')}`),
  ])
  return ['', paint.yellow('INCOMPLETE'), ...reasons, ...hint(report)]
}

function hint({ unchecked }: Report): string[] {
  if (!unchecked.some(({ reason }) => reason.startsWith('ADD with'))) return []
  return ['  What a plugin may need: --conf; --chained, after other plugins; --args; --share, its daemon.']
}

function verdict({ verdict, unchecked, leftOut, results }: Report, paint: Painter): string {
  if (verdict === 'violations') return paint.red('The plugin does not conform.')
  if (verdict === 'incomplete') {
    const count = new Set(unchecked.flatMap(({ checks }) => checks)).size
    if (count === results.length) return paint.yellow('Incomplete: nothing could be checked.')
    return paint.yellow(`Incomplete: ${plural(count, 'check')} could not be made. The others found no violation.`)
  }
  const all = leftOut === 0 ? '' : ` in ${plural(results.length, 'check')}; ${leftOut} were left out`
  return paint.green(`The plugin conforms${all}.`)
}

function findings(report: Report, severity: Finding['severity'], title: string, paint: Painter): string[] {
  const lines = report.results.flatMap((result) => findingsOf(result, severity, paint))
  return lines.length === 0 ? [] : ['', title, ...lines]
}

function findingsOf(result: CheckResult, severity: Finding['severity'], paint: Painter): string[] {
  if (result.outcome.status !== 'fail') return []
  const mine = result.outcome.findings.filter((finding) => finding.severity === severity)
  const [first] = mine
  if (first === undefined) return []
  // Prints the plugin call of a check's first finding only. `--json` prints the calls of all findings.
  return [
    '',
    `  ${paint.bold(result.id)}  ${result.title}`,
    ...mine.map(({ summary }) => `    - ${printable(summary)}`),
    ...details(first, paint),
  ]
}

function details({ why, spec, exchange }: Finding, paint: Painter): string[] {
  const shown = exchange === undefined ? [] : exchangeLines(exchange).map((line) => paint.dim(`      ${line}`))
  return [`      why     ${why}`, `      spec    ${spec}`, ...shown]
}

function notes({ results }: Report, paint: Painter): string[] {
  const told = results.flatMap(({ id, outcome }) =>
    outcome.status === 'note' || outcome.status === 'fail'
      ? outcome.notes.map((note) => `  ${id}: ${printable(note)}`)
      : [],
  )
  const skipped = groupBy(
    results.flatMap(({ id, outcome }) => (outcome.status === 'skipped' ? [{ id, reason: outcome.reason }] : [])),
    ({ reason }) => reason,
  )
  const reasons = [...skipped].map(([reason, each]) => `  ${printable(reason)}: ${each.map(({ id }) => id).join(', ')}`)
  return [
    ...(told.length === 0 ? [] : ['', paint.bold('NOTES'), ...told]),
    ...(reasons.length === 0 ? [] : ['', paint.bold('SKIPPED'), ...reasons]),
  ]
}

// Removes control characters from a finding's summary, because the summary quotes the plugin's output.
function printable(text: string): string {
  return replaceUnsafe(text, ' ')
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

type Painter = Record<'bold' | 'dim' | 'red' | 'yellow' | 'green', Paint>

function painter(colour: boolean): Painter {
  const paint =
    (code: number): Paint =>
    (text) =>
      colour ? `\u001b[${code}m${text}\u001b[0m` : text
  return { bold: paint(1), dim: paint(2), red: paint(31), yellow: paint(33), green: paint(32) }
}
