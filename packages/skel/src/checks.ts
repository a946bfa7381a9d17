/** Longest delay of a timer. A longer one fires at once. */
const LONGEST = 2 ** 31 - 1

/**
 * Checks milliseconds for a timer, at least `least`.
 *
 * @throws TypeError that begins with `what`, as in all checks here.
 */
export function checkMilliseconds(what: string, value: unknown, least = 1): void {
  if (typeof value === 'number' && value >= least && value <= LONGEST) return
  throw unexpected(what, `milliseconds from ${least} to ${LONGEST}`, value)
}

/** Checks a record of values by verb. */
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

/** Checks a number above 0. Infinity is valid. */
export function checkPositive(what: string, value: unknown, unit: string): void {
  if (!(typeof value === 'number' && value > 0)) throw unexpected(what, `${unit} above 0`, value)
}

/** Error for an invalid value. */
export function unexpected(what: string, expected: string, value: unknown): TypeError {
  return new TypeError(`${what}: expected ${expected}, got ${shown(value)}`)
}

/** Formats a value for a message: strings and numbers in full, other values by their kind. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null) return 'an object'
  return typeof value === 'function' ? 'a function' : String(value)
}
