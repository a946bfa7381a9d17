/**
 * Decides if a measured quantity, such as memory, grows over time. Fits a line by least squares, with the confidence
 * interval of its slope.
 */

/** Samples of one quantity, such as the agent's memory. `at` is the time of a sample in milliseconds. */
export type Series = readonly { readonly at: number; readonly value: number }[]

/**
 * Growth that a quantity may have and still count as flat: `share` times the quantity's mean, but never less than
 * `least`.
 */
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

/**
 * Share of the soak test's time that is judged: the last two thirds. In the first third, the agent still compiles code
 * and fills caches and pools.
 */
export const WINDOW = 2 / 3

/**
 * Number of equal parts into which the judged samples are divided. The line is fitted to the mean of each part. Single
 * samples would be correlated with their neighbours, but the means are nearly independent.
 */
const PARTS = 24
/** Quantile 97.5 % of Student's t distribution with 22 degrees of freedom. */
const T = 2.07

/**
 * Judges a quantity by the line that is fitted to its samples. The quantity grows if two conditions hold: the line
 * rises by more than allowed, and the confidence interval of the rise is above 0. In all other cases the quantity is
 * flat.
 */
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

/**
 * Fits a line to points by least squares. Returns its rise from the first to the last point, and the standard error of
 * the rise.
 */
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
