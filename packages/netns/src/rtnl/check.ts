import { NetnsError } from '../handle/netns-error.ts'

/** An integer within bounds. Throws `NetnsError('INVALID')` that names the member and the value. */
export function checkInteger(value: unknown, least: number, most: number, name: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
  throw new NetnsError('INVALID', `${name}: expected an integer from ${least} to ${most}, got ${shown(value)}`)
}

/** A value as a message shows it, whatever a JavaScript caller or a JSON document has put there. */
export function shown(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  return JSON.stringify(value)?.slice(0, 80) ?? String(value)
}

/**
 * The first member of what is wanted that is otherwise, in words: `mtu is 1500, not 1400`. What is not said, and
 * members of members that are not said, fit anything.
 */
export function firstDifference(there: object, wanted: object, prefix = ''): string | undefined {
  const existing = new Map(Object.entries(there))
  for (const [name, value] of Object.entries(wanted)) {
    const other: unknown = existing.get(name)
    if (value === undefined) continue
    if (typeof value === 'object' && value !== null && typeof other === 'object' && other !== null) {
      const found = firstDifference(other, value, `${prefix}${name}.`)
      if (found !== undefined) return found
    } else if (other !== value) return `${prefix}${name} is ${shown(other)}, not ${shown(value)}`
  }
  return undefined
}
