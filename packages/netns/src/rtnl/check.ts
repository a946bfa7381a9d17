import { NetnsError } from '../handle/netns-error.ts'

/** Checks that a member of an argument is an integer within bounds. */
export function checkInteger(value: unknown, least: number, most: number, name: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
  throw new NetnsError('INVALID', `${name}: expected an integer from ${least} to ${most}, got ${describeValue(value)}`)
}

/** Formats any value for an error message: callers in JavaScript and JSON documents may pass values of any type. */
export function describeValue(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  return JSON.stringify(value)?.slice(0, 80) ?? String(value)
}

/** Describes the first difference from the wanted object, such as `mtu is 1500, not 1400`. */
export function firstDifference(there: object, wanted: object, prefix = ''): string | undefined {
  const existing = new Map(Object.entries(there))
  for (const [name, value] of Object.entries(wanted)) {
    const other: unknown = existing.get(name)
    if (value === undefined) continue
    if (typeof value === 'object' && value !== null && typeof other === 'object' && other !== null) {
      const found = firstDifference(other, value, `${prefix}${name}.`)
      if (found !== undefined) return found
    } else if (other !== value) return `${prefix}${name} is ${describeValue(other)}, not ${describeValue(value)}`
  }
  return undefined
}
