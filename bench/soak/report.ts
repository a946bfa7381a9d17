import { judge, type Verdict } from './judge.ts'
import { QUANTITIES, type Quantity, type Sample } from './sampler.ts'
import type { Tally } from './tally.ts'

/** A sample of the agent's resource usage, with its time in milliseconds since the start of the soak test. */
export interface TimedSample {
  readonly at: number
  readonly values: Sample
}

export interface SoakReport {
  readonly minutes: number
  readonly seed: number
  readonly calls: ReturnType<Tally['summary']>
  readonly quantities: Readonly<Record<string, Verdict & { readonly judged: boolean }>>
  readonly wrong: readonly string[]
  readonly samples: readonly TimedSample[]
}

/** Infinite allowed growth, for a quantity that the report shows without a verdict. */
const ANY = { share: Number.POSITIVE_INFINITY, least: 0 }

/** Minutes in which the agent's heap grows after the start. Shorter soak tests do not judge the memory. */
const HEAP_MINUTES = 12

export const verdicts = (samples: readonly TimedSample[]): SoakReport['quantities'] => {
  const isShort = (samples.at(-1)?.at ?? 0) < HEAP_MINUTES * 60_000
  return Object.fromEntries(
    Object.entries(QUANTITIES).map(([name, limit]) => {
      const series = samples.map(({ at, values }) => ({ at, value: values[name as Quantity] }))
      const allowed = isShort && name === 'anonymous MB' ? undefined : limit
      return [name, { ...judge(series, allowed ?? ANY), judged: allowed !== undefined }]
    }),
  )
}

/** Reasons why the soak test has failed, one on each line. Empty if the soak test has passed. */
export const reasons = ({ quantities, wrong }: SoakReport): string[] => [
  ...wrong,
  ...Object.entries(quantities)
    .filter(([, { flat }]) => !flat)
    .map(
      ([name, { growth, low, allowed }]) =>
        `${name} grew by ${shown(growth)} (surely ${shown(low)}), allowed are ${shown(allowed)}`,
    ),
]

/** Formats the results of the soak test as Markdown tables. */
export function reportText(report: SoakReport): string {
  const calls = Object.entries(report.calls).map(
    ([name, { done, failed, p50, p99, max }]) =>
      `| ${[name, done, failed, ...[p50, p99, max].map((ms) => ms.toFixed(0))].join(' | ')} |`,
  )
  const quantities = Object.entries(report.quantities).map(([name, one]) => {
    const verdict = one.judged ? (one.flat ? 'flat' : '**grows**') : 'told only'
    return `| ${[name, shown(one.mean), `${signed(one.growth)} (${signed(one.low)} to ${signed(one.high)})`, verdict].join(' | ')} |`
  })
  return `# Soak of ${report.minutes} minutes, seed ${report.seed}

| | done | failed and repeated | p50, ms | p99, ms | max, ms |
| --- | --- | --- | --- | --- | --- |
${calls.join('\n')}

| of the agent and its node | mean | growth over the last two thirds (95 %) | |
| --- | --- | --- | --- |
${quantities.join('\n')}
`
}

const shown = (value: number): string => (Number.isFinite(value) ? value.toFixed(1) : '–')
const signed = (value: number): string => (value > 0 ? `+${shown(value)}` : shown(value))
