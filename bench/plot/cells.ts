// Formats table cells from a benchmark report. A missing value gives an empty cell.
import { times } from '../lib/report/markdown.ts'
import type { Measure, Report } from '../lib/report/report.ts'

export type Find = (suite: string, group: string, name?: string, quantity?: string) => Measure | undefined

export const finder =
  (report: Report): Find =>
  (suite, group, name = 'ours', quantity = 'ms') =>
    report.suites[suite]?.measures.find((one) => one.group === group && one.name === name && one.quantity === quantity)

export function withP99(of: Find, suite: string, group: string, name: string, quantity = 'ms') {
  const p99 = of(suite, group, name, `p99 ${quantity}`)
  return `${ms(of(suite, group, name, quantity))}${p99?.runs ? ` (p99 ${ms(p99)})` : ''}`
}

export function ms(one: Measure | undefined, digits?: number) {
  if (one === undefined) return ''
  return one.runs === 0 ? 'never' : one.median.toFixed(digits ?? (one.median < 100 ? 1 : 0))
}

export const difference = (one: Measure | undefined, before: Measure | undefined) =>
  one === undefined || before === undefined ? '' : signed(one.median - before.median)

/** Formats a number for a table cell, but prints a rounded zero without a minus sign. */
const signed = (value: number) => (Math.abs(value) < 0.05 ? 0 : value).toFixed(1)

export const ratioOf = (one: Measure | undefined, to: string) => {
  const found = one?.ratios.find((ratio) => ratio.to === to)
  return found === undefined ? '' : times(found.value)
}
