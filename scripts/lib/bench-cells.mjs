/**
 * Cells of tables about a report of npm run bench; empty where it has no such measure.
 *
 * @typedef {import('../../bench/lib/report.ts').Report} Report
 * @typedef {import('../../bench/lib/report.ts').Measure} Measure
 */

/** @typedef {(suite: string, group: string, name?: string, quantity?: string) => Measure | undefined} Find */

/** @param {Report} report @returns {Find} */
export const finder =
  (report) =>
  (suite, group, name = 'ours', quantity = 'ms') =>
    report.suites[suite]?.measures.find((one) => one.group === group && one.name === name && one.quantity === quantity)

/** @param {Find} of @param {string} suite @param {string} group @param {string} name */
export function withP99(of, suite, group, name, quantity = 'ms') {
  const p99 = of(suite, group, name, `p99 ${quantity}`)
  return `${ms(of(suite, group, name, quantity))}${p99?.runs ? ` (p99 ${ms(p99)})` : ''}`
}

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
export const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

/** @param {Measure | undefined} one @param {number} [digits] */
export function ms(one, digits) {
  if (one === undefined) return ''
  return one.runs === 0 ? 'never' : one.median.toFixed(digits ?? (one.median < 100 ? 1 : 0))
}

/** @param {Measure | undefined} one @param {Measure | undefined} before */
export const difference = (one, before) =>
  one === undefined || before === undefined ? '' : signed(one.median - before.median)

/** By the rounds' ratios, which do not mind a machine that drifts. @param {Measure | undefined} one @param {Measure | undefined} bare */
export const overBare = (one, bare) => {
  const found = one?.ratios.find(({ to }) => to === 'bare runtime')
  return found === undefined || bare === undefined ? '' : signed((found.value - 1) * bare.median)
}

/** Without a minus before nothing. @param {number} value */
const signed = (value) => (Math.abs(value) < 0.05 ? 0 : value).toFixed(1)

/** @param {Measure | undefined} one @param {string} to */
export const ratioOf = (one, to) => {
  const found = one?.ratios.find((ratio) => ratio.to === to)
  return found === undefined ? '' : `${found.value < 0.1 ? found.value.toPrecision(2) : found.value.toFixed(2)} ×`
}
