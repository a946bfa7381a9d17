import { invalid } from '../errors.ts'
import { type Family, families } from './model.ts'

/** Validates a list of IP families that a caller passed. */
export function checkFamilies(list: readonly Family[] | undefined): readonly Family[] | undefined {
  if (list === undefined) return undefined
  if (list.length === 0 || list.some((family) => !families.includes(family))) {
    invalid(`families: ${JSON.stringify(list)} is not a list of 'ipv4' and 'ipv6'`)
  }
  return families.filter((family) => list.includes(family))
}
