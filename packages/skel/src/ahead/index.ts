/**
 * For the daemon behind the `addAhead` of a plugin: it checks a call as the plugin would, and makes what that prints and
 * logs.
 *
 * @example
 * ```ts
 * import { acceptAdd } from '@cni/skel/ahead'
 *
 * const call = acceptAdd({ env: { CNI_COMMAND: 'ADD' }, stdin: new Uint8Array() })
 * console.error(call.document.name, call.passedOn())
 * ```
 *
 * @module
 */

export { callLog } from '../call/call-log.ts'
export { type AcceptedAdd, acceptAdd, type ReceivedAdd } from './accept-add.ts'
