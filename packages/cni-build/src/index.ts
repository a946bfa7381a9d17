/**
 * Builds one executable file from one entry module, and tests it.
 *
 * @example
 * ```ts
 * import { buildExecutable } from '@cni/build'
 *
 * const { outfile, bytes } = await buildExecutable({ entry: 'src/main.ts', outfile: 'dist/my-plugin' })
 * ```
 *
 * @module
 */
export { type BuildExecutableOptions, type BuiltExecutable, buildExecutable } from './build-executable.ts'
export { type Bundle, type BundleOptions, bundle } from './bundle.ts'
export { BuildError, isBuildError } from './errors.ts'
export { inspect } from './inspect.ts'
export type { Target } from './tools/target.ts'
