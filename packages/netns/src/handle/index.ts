/**
 * Entry point that opens and compares network namespaces. This entry point needs no FFI.
 *
 * @example
 * ```ts
 * import { current, open } from '@cni/netns/handle'
 *
 * using mine = current()
 * using init = open('/proc/1/ns/net')
 * export const onTheNode = mine.isSame(init)
 * ```
 *
 * @module
 */

export { keptIn, Netns, type NetnsTarget } from './netns.ts'
export { isNetnsError, NetnsError } from './netns-error.ts'
export { current, open } from './open.ts'
export { type NetnsContext, type Place, placeOf, type Where } from './where.ts'
