/**
 * Open and compare network namespaces, without FFI.
 *
 * @example
 * ```ts
 * import { current, isSame, open } from '@cni/netns/handle'
 *
 * using mine = current()
 * using init = open('/proc/1/ns/net')
 * export const onTheNode = isSame(mine, init)
 * ```
 *
 * @module
 */

export { isSame, keptIn, Netns, type NetnsTarget } from './netns.ts'
export { isNetnsError, NetnsError, type NetnsErrorCode } from './netns-error.ts'
export { current, open } from './open.ts'
export { type LibraryLog, type NetnsContext, type Place, type PodContext, placeOf, type Where } from './where.ts'
