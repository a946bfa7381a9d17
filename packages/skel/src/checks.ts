/** Maximum delay of a JavaScript timer in milliseconds. A timer with a longer delay fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Checks that a value is a valid number of milliseconds for a timer. */
export function checkMilliseconds(what: string, value: unknown, least = 1): void {
  if (typeof value === 'number' && value >= least && value <= MAX_TIMER_MS) return
  throw unexpected(what, `milliseconds from ${least} to ${MAX_TIMER_MS}`, value)
}

/** Checks an object with one value for each CNI verb. Rejects unknown verbs. */
export function checkByVerb(
  what: string,
  values: object,
  verbs: readonly string[],
  check: (what: string, value: unknown) => void,
): void {
  for (const [verb, value] of Object.entries(values)) {
    if (!verbs.includes(verb)) throw new TypeError(`${what}: ${verb}: expected one of ${verbs.join(', ')}`)
    check(`${what}: ${verb}`, value)
  }
}

/** Checks that the value of an option is a number above 0. Infinity is valid. */
export function checkPositive(what: string, value: unknown, unit: string): void {
  if (!(typeof value === 'number' && value > 0)) throw unexpected(what, `${unit} above 0`, value)
}

/** Creates the error for an invalid value. The message names the expected and the actual value. */
export function unexpected(what: string, expected: string, value: unknown): TypeError {
  return new TypeError(`${what}: expected ${expected}, got ${describeValue(value)}`)
}

/** Formats a value for an error message: strings and numbers in full, other values by their kind. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null) return 'an object'
  return typeof value === 'function' ? 'a function' : String(value)
}
