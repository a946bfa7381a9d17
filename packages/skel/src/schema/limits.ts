import type { core } from 'zod/mini'

/** Combined limits of all zod checks of a string, number or list. */
export interface Limits {
  readonly formats: readonly string[]
  readonly patterns: readonly RegExp[]
  readonly low: number | undefined
  readonly lowExclusive: boolean
  readonly high: number | undefined
  readonly highExclusive: boolean
}

/** Collects the limits from the checks of a zod schema, and from its format (such as an integer format). */
export function limitsOf({ _zod }: core.$ZodTypes): Limits {
  const checks = [
    _zod.def,
    ...(_zod.def.checks ?? []).map((check) => check._zod.def),
  ] as core.$ZodChecks['_zod']['def'][]
  const lows: Bound[] = []
  const highs: Bound[] = []
  const formats: string[] = []
  const patterns: RegExp[] = []
  for (const check of checks) {
    switch (check.check) {
      case 'greater_than':
        lows.push({ value: Number(check.value), exclusive: !check.inclusive })
        break
      case 'less_than':
        highs.push({ value: Number(check.value), exclusive: !check.inclusive })
        break
      case 'min_length':
        lows.push({ value: check.minimum, exclusive: false })
        break
      case 'max_length':
        highs.push({ value: check.maximum, exclusive: false })
        break
      case 'length_equals':
        lows.push({ value: check.length, exclusive: false })
        highs.push({ value: check.length, exclusive: false })
        break
      case 'number_format':
        formats.push(check.format)
        break
      case 'string_format':
        formats.push(check.format)
        if (check.format === 'regex' && check.pattern) patterns.push(check.pattern)
        break
      default:
    }
  }
  const low = lows.sort((a, b) => b.value - a.value || Number(b.exclusive) - Number(a.exclusive))[0]
  const high = highs.sort((a, b) => a.value - b.value || Number(b.exclusive) - Number(a.exclusive))[0]
  return {
    formats,
    patterns,
    low: low?.value,
    lowExclusive: low?.exclusive ?? false,
    high: high?.value,
    highExclusive: high?.exclusive ?? false,
  }
}

interface Bound {
  readonly value: number
  readonly exclusive: boolean
}
