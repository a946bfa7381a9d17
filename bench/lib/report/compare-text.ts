import type { Comparison, Verdict } from './compare.ts'
import type { Ratio } from './statistics.ts'

/** Function that colours a text for a terminal, or returns the text unchanged. */
export type Paint = (verdict: Verdict, text: string) => string

const ORDER: readonly Verdict[] = ['same', 'not judged', 'new', 'better', 'worse']

/** Prints one line for each compared value, with the most important lines last. */
export function compareText(rows: readonly Comparison[], paint: Paint = (_, text) => text): string {
  const cells = [...rows]
    .sort((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict))
    .map((row) => ({
      row,
      cells: [row.verdict, `${row.suite}: ${row.group}`, `${row.name}, ${row.quantity}`, moved(row)],
    }))
  const widths = [0, 1, 2].map((column) => Math.max(0, ...cells.map((one) => one.cells[column]?.length ?? 0)))
  const lines = cells.map(({ row, cells: [first = '', ...rest] }) =>
    [paint(row.verdict, first.padEnd(widths[0] ?? 0)), ...rest.map((cell, i) => cell.padEnd(widths[i + 1] ?? 0))]
      .join('  ')
      .trimEnd(),
  )
  const counts = [...ORDER].reverse().flatMap((verdict) => {
    const count = rows.filter((row) => row.verdict === verdict).length
    return count === 0 ? [] : [paint(verdict, `${count} ${verdict}`)]
  })
  return `${[...lines, '', counts.join(', ')].join('\n')}\n`
}

function moved({ before, after }: Comparison): string {
  if (before === undefined || after === undefined) return 'no reference in both reports'
  const change = (after.value / before.value - 1) * 100
  return `${ratio(before)} → ${ratio(after)} × ${before.to} (${change >= 0 ? '+' : ''}${change.toFixed(0)} %)`
}

function ratio({ value, low, high }: Ratio): string {
  const spread = low === undefined || high === undefined ? '' : ` [${low.toFixed(2)}–${high.toFixed(2)}]`
  return `${value.toFixed(2)}${spread}`
}
