/** Option of a match as the rule's author spelt it. */
export interface FoundOption {
  readonly option: string
  readonly not: boolean
  readonly values: readonly string[]
}

/** Adds the defaults of iptables to the options of a match. */
export function withDefaults(match: {
  readonly module: string
  readonly options: readonly FoundOption[]
}): readonly FoundOption[] {
  if (match.module !== 'limit' || match.options.some(({ option }) => option === 'limit')) return match.options
  return [{ option: 'limit', not: false, values: ['3/hour'] }, ...match.options]
}

/** Computes the rate of a `limit` match as iptables prints it: rounded to kernel ticks. */
export function rate(text: string): string {
  let now = text
  for (let i = 0; i < 8; i++) {
    const next = printedRate(now)
    if (next === now) break
    now = next
  }
  return now
}

/** Converts the rate of a `limit` match to the time unit that iptables would print. */
export function printedRate(text: string): string {
  const [, count, unit = 'second'] = /^(\d+)(?:\/([a-z]+))?$/.exec(text.toLowerCase()) ?? []
  const ticks = units[longNames.findIndex((name) => name.startsWith(unit))]?.[1]
  if (count === undefined || ticks === undefined) return text
  const period = Math.floor(ticks / Number(count))
  if (period < 1 || !Number.isFinite(period)) return text
  const tooSmall = units.findIndex(([, each], index) => index > 0 && (period > each || each / period < each % period))
  const [name, of] = units[tooSmall === -1 ? units.length - 1 : tooSmall - 1] ?? ['', 0]
  return `${Math.floor(of / period)}/${name}`
}

/** Rounds the probability of a `statistic` match to multiples of 2^-31, as the kernel stores it. */
export function probability(text: string): string {
  const share = Number(text)
  return Number.isFinite(share) ? String(Math.round(share * 0x80000000)) : text
}

// internal

const units: readonly (readonly [name: string, ticks: number])[] = [
  ['day', 864_000_000],
  ['hour', 36_000_000],
  ['min', 600_000],
  ['sec', 10_000],
]

const longNames = ['day', 'hour', 'minute', 'second']
