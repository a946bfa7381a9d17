/** The longest a timer can wait: what is longer ends at once. */
const LONGEST = 2 ** 31 - 1

/**
 * Milliseconds for a timer, `least` and more.
 *
 * @throws TypeError that begins with `what`, as all of these do.
 */
export function checkMilliseconds(what: string, value: unknown, least = 1): void {
  if (typeof value === 'number' && value >= least && value <= LONGEST) return
  throw unexpected(what, `milliseconds from ${least} to ${LONGEST}`, value)
}

/** The same for a record of them by verb. */
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

/** A number above 0, which may be infinite. */
export function checkPositive(what: string, value: unknown, unit: string): void {
  if (!(typeof value === 'number' && value > 0)) throw unexpected(what, `${unit} above 0`, value)
}

/** The error for a value that cannot work. */
export function unexpected(what: string, expected: string, value: unknown): TypeError {
  return new TypeError(`${what}: expected ${expected}, got ${shown(value)}`)
}

/** A value for a message: texts and numbers in full, of anything else only the kind. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null) return 'an object'
  return typeof value === 'function' ? 'a function' : String(value)
}
