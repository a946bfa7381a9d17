/**
 * IP addresses as bytes and as text. The module has no dependencies.
 *
 * @example
 * ```ts
 * import { formatAddress, parseAddress } from '@cni/types/ip'
 *
 * const bytes = parseAddress('2001:DB8:0:0::1')
 * export const text = bytes && formatAddress(bytes) // '2001:db8::1'
 * ```
 *
 * @module
 */

export { formatAddress, unmapAddress } from './format-address.ts'
export { type IpFamily, parseAddress } from './parse-address.ts'
export { networkAddress, parsePrefix } from './prefix.ts'
