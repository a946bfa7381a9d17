/** Decides by a fitted line if a quantity, such as memory, grows over time. */

/** Samples of one quantity, such as the agent's memory. `at` is the time of a sample in milliseconds. */
export type Series = readonly { readonly at: number; readonly value: number }[]

/** Growth that still counts as flat: the larger of `least` and `share` times the mean. */
export interface Allowed {
  readonly share: number
  readonly least: number
}

export interface Verdict {
  readonly mean: number
  /** Rise of the fitted line over the judged period, with its 95 % confidence interval. */
  readonly growth: number
  readonly low: number
  readonly high: number
  readonly allowed: number
  readonly flat: boolean
}

/** Excludes the first third, in which the agent still compiles code and fills caches. */
export const WINDOW = 2 / 3

/** Number of parts of the judged period. The line fits the parts' means, because single samples are correlated. */
const PARTS = 24
/** Quantile 97.5 % of Student's t distribution with 22 degrees of freedom. */
const T = 2.07

/** Judges a quantity by the line that is fitted to its samples. */
export function judge(series: Series, { share, least }: Allowed): Verdict {
  const points = partMeans(inWindow(series))
  const mean = average(points.map(({ value }) => value))
  const { growth, error } = lineOf(points)
  const [low, high] = [growth - T * error, growth + T * error]
  const allowed = Math.max(least, share * Math.abs(mean))
  return { mean, growth, low, high, allowed, flat: !(growth > allowed && low > 0) }
}

// internal

function inWindow(series: Series): Series {
  const [begin, end] = [series[0]?.at ?? 0, series.at(-1)?.at ?? 0]
  return series.filter(({ at }) => at >= end - (end - begin) * WINDOW)
}

function partMeans(series: Series): Series {
  const size = series.length / Math.min(PARTS, series.length)
  const parts: { at: number; value: number }[] = []
  for (let from = 0; Math.round(from) < series.length; from += size) {
    const part = series.slice(Math.round(from), Math.max(Math.round(from) + 1, Math.round(from + size)))
    parts.push({ at: average(part.map(({ at }) => at)), value: average(part.map(({ value }) => value)) })
  }
  return parts
}

/** Fits a line by least squares. Returns its rise and the rise's standard error. */
function lineOf(points: Series): { growth: number; error: number } {
  const meanAt = average(points.map(({ at }) => at))
  const mean = average(points.map(({ value }) => value))
  const squares = sum(points.map(({ at }) => (at - meanAt) ** 2))
  if (points.length < 3 || squares === 0) return { growth: 0, error: Number.POSITIVE_INFINITY }
  const slope = sum(points.map(({ at, value }) => (at - meanAt) * (value - mean))) / squares
  const rest = sum(points.map(({ at, value }) => (value - mean - slope * (at - meanAt)) ** 2))
  const span = (points.at(-1)?.at ?? 0) - (points[0]?.at ?? 0)
  return { growth: slope * span, error: Math.sqrt(rest / (points.length - 2) / squares) * span }
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)
const average = (values: readonly number[]): number => sum(values) / values.length
