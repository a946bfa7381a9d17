/**
 * One executable file from one entry: bundle with esbuild, compile with its runtime, start it.
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
export type { BundleShare } from './bundle-shares.ts'
export { type CompileOptions, compile } from './compile.ts'
export { BuildError, type BuildErrorCode, isBuildError } from './errors.ts'
export { type Inspection, inspect } from './inspect.ts'
export type { Smoke } from './start-up.ts'
export { type Runtime, TARGETS, type Target } from './target.ts'
