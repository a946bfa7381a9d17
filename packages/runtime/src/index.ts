/**
 * Node's modules and globals for the small runtime. `cni-build` bundles them from the sources of this package.
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
