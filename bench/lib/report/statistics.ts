/** Summary of one quantity's samples in a report. */
export interface Stats {
  runs: number
  median: number
  min: number
  max: number
}

/** Median ratio of a contender's time to the reference's time, with its confidence interval. */
export interface Ratio {
  to: string
  value: number
  low?: number
  high?: number
}

/** Least number of rounds for a confidence interval. */
const ENOUGH = 5

/** Percentile of the values: the share 0.99 gives the 99th percentile. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (index: number): number => sorted[Math.min(sorted.length - 1, Math.max(0, index))] ?? Number.NaN
  if (share !== 0.5 || sorted.length % 2 === 1) return at(Math.ceil(share * sorted.length) - 1)
  return (at(sorted.length / 2 - 1) + at(sorted.length / 2)) / 2
}

/** Summarizes samples. An empty list means that the measured event never happened. */
export function stats(samples: readonly number[]): Stats {
  const none = samples.length === 0
  return {
    runs: samples.length,
    median: percentile(samples, 0.5),
    min: none ? Number.NaN : Math.min(...samples),
    max: none ? Number.NaN : Math.max(...samples),
  }
}

/** Divides a program's times by the reference's times of the same round: a slow machine affects both. */
export function ratio(to: string, samples: readonly number[], reference: readonly number[]): Ratio | undefined {
  const middle = percentile(reference, 0.5)
  const ratios = samples.map((sample, round) => sample / (reference[round] ?? middle)).filter(Number.isFinite)
  if (ratios.length === 0) return undefined
  const value = percentile(ratios, 0.5)
  if (Math.min(samples.length, reference.length) < ENOUGH) return { to, value }
  // Half of a box plot's notch: medians with separate notches differ with 95 % certainty.
  const notch = (1.57 * (percentile(ratios, 0.75) - percentile(ratios, 0.25))) / Math.sqrt(ratios.length)
  return { to, value, low: value - notch, high: value + notch }
}
