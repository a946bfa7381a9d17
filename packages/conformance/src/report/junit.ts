import { groupBy } from '../group-by.ts'
import type { CheckResult, Report } from '../model.ts'
import { exchangeLines } from './exchange-lines.ts'

/** Formats the report as JUnit XML. Blocked checks are errors, because CI systems ignore skips. */
export function renderJunit(report: Report): string {
  const groups = groupBy(report.results, ({ group }) => group)
  const suites = [...groups].map(([group, results]) => suite(group, results))
  const errors = report.unchecked.length
  const counts = `tests="${report.results.length + errors}" failures="${failures(report.results)}" errors="${errors}"`
  const total = `${counts} time="${seconds(report.durationMs)}"`
  const all = `<testsuites name="cni-conformance ${escapeXml(report.plugin)}" ${total}>`
  const lines = ['<?xml version="1.0" encoding="UTF-8"?>', all, ...incomplete(report), ...suites, '</testsuites>']
  return `${lines.join('\n')}\n`
}

function incomplete({ unchecked }: Report): string[] {
  if (unchecked.length === 0) return []
  const count = unchecked.length
  return [
    `  <testsuite name="incomplete" tests="${count}" failures="0" errors="${count}" skipped="0" time="0.000">`,
    ...unchecked.map(({ reason, checks }) =>
      [
        `    <testcase classname="incomplete" name="${escapeXml(reason)}" time="0.000">`,
        `      <error message="${escapeXml(reason)}">${escapeXml(`not checked: ${checks.join(', ')}`)}</error>`,
        '    </testcase>',
      ].join('\n'),
    ),
    '  </testsuite>',
  ]
}

function suite(group: string, results: readonly CheckResult[]): string {
  const skipped = results.filter(({ outcome: { status } }) => status === 'skipped' || status === 'blocked').length
  const time = seconds(results.reduce((sum, { durationMs }) => sum + durationMs, 0))
  const counts = `tests="${results.length}" failures="${failures(results)}" skipped="${skipped}" time="${time}"`
  return [`  <testsuite name="${group}" ${counts}>`, ...results.map(testcase), '  </testsuite>'].join('\n')
}

function testcase(result: CheckResult): string {
  const { id, group, title, durationMs, outcome } = result
  const open = `    <testcase classname="${group}" name="${escapeXml(`${id}: ${title}`)}" time="${seconds(durationMs)}"`
  const inside = [...body(outcome)]
  return inside.length === 0 ? `${open}/>` : [`${open}>`, ...inside, '    </testcase>'].join('\n')
}

function* body(outcome: CheckResult['outcome']): Generator<string> {
  if (outcome.status === 'skipped' || outcome.status === 'blocked') {
    yield `      <skipped message="${escapeXml(outcome.reason)}"/>`
  }
  if (outcome.status === 'note') yield output(outcome.notes)
  if (outcome.status !== 'fail') return
  const violations = outcome.findings.filter(({ severity }) => severity === 'violation')
  const advice = outcome.findings.filter(({ severity }) => severity === 'advice')
  if (violations.length > 0) {
    const text = violations.map(({ summary, why, spec, exchange }) =>
      [summary, why, spec, ...(exchange === undefined ? [] : exchangeLines(exchange))].join('\n'),
    )
    yield `      <failure message="${escapeXml(violations[0]?.summary ?? '')}">${escapeXml(text.join('\n\n'))}</failure>`
  }
  const rest = [...advice.map(({ summary, spec }) => `advice: ${summary} (${spec})`), ...outcome.notes]
  if (rest.length > 0) yield output(rest)
}

function output(lines: readonly string[]): string {
  return `      <system-out>${escapeXml(lines.join('\n'))}</system-out>`
}

function failures(results: readonly CheckResult[]): number {
  return results.filter(
    ({ outcome }) => outcome.status === 'fail' && outcome.findings.some(({ severity }) => severity === 'violation'),
  ).length
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Replaces control characters that XML 1.0 does not allow by U+FFFD. */
function escapeXml(text: string): string {
  return (
    text
      .replaceAll(/[&<>"]/g, (char) => entities[char] ?? char)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those are meant
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
  )
}
