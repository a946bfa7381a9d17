/**
 * Subnet arithmetic, based on the npm package `ip-address`. Code that runs for every pod should use `@cni/types/ip`,
 * which has no dependencies.
 *
 * @example
 * ```ts
 * import { contains, nextAddress, overlaps, subnet } from '@cni/types/subnet'
 *
 * export const free = !overlaps('10.1.0.0/16', '10.1.128.0/17') // false
 * export const inside = contains('10.1.0.0/16', '10.1.2.3') // true
 * export const gateway = nextAddress(subnet('10.1.2.3/24').first) // '10.1.2.1'
 * ```
 *
 * @module
 */

export { addressesOf, contains, nextAddress, overlaps, subnet } from './subnet.ts'
