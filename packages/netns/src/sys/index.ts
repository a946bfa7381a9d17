/**
 * System calls behind one interface, in every supported JavaScript runtime.
 *
 * @example
 * ```ts
 * import { loadSys } from '@cni/netns/sys'
 *
 * const sys = loadSys()
 * const copyOfStdout = sys.dup(1)
 * sys.dup2(2, 1)   // from here on, what anyone prints goes to stderr
 * export { copyOfStdout }
 * ```
 *
 * @module
 */

export { loadSys, tryLoadSys } from './load-sys.ts'
export { lock } from './lock.ts'
export { dropPageCache } from './page-cache.ts'
export { isSysError, type Sys, SysError } from './sys.ts'
