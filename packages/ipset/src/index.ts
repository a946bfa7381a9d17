/**
 * Typed IP sets of the kernel. Writes many entries at once, and replaces whole sets.
 *
 * @example
 * ```ts
 * import { ipset } from '@cni/ipset'
 *
 * const blocked = ipset('host').set('blocked', { type: 'hash:net', family: 'ipv4' })
 * const { plan } = await blocked.replace(['192.0.2.0/24', { entry: '192.0.2.7', nomatch: true }])
 * export const inside = plan !== 'unchanged' && (await blocked.test('192.0.2.8')) // true
 * ```
 *
 * @module
 */

export type { EntryDiff } from './diff.ts'
export { isSetError, SetError } from './errors.ts'
export { type Ipset, ipset } from './ipset.ts'
export type { IpsetPort } from './port.ts'
export type { IpSet } from './set.ts'
export type { Entry, EntryText, SetEntry, SetInfo, SetSpec } from './spec-types.ts'
