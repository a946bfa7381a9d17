/**
 * One executable file from one entry: bundle with esbuild, compile with bun, run it once.
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
export { type CompileOptions, compile, findCompiler, HERMETIC_FLAGS, JIT_FLAGS, type Jit } from './compile.ts'
export { BuildError, type BuildErrorCode } from './errors.ts'
