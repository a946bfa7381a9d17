/**
 * Node's modules and globals for the small runtime.
 *
 * @example
 * ```ts
 * import { modules } from '@cni/runtime'
 *
 * modules['node:path']?.includes('join')   // true
 * ```
 * @module
 */
export { globals, modules } from './members.ts'
