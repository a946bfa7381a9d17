import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { isRunError, run } from '@cni/host'
import { BuildError } from './errors.ts'

export interface CompileOptions {
  /** The bundle: one CommonJS file without top-level await. */
  bundle: string
  /** The executable to write. Its name is part of its bytes: the same bundle and name give the same file. */
  outfile: string
  /** The bun executable; default: the one of the npm package `@oven/bun-linux-x64-baseline`. */
  compiler?: string
  /**
   * When bun begins to compile hot functions. `late`, the default, suits a plugin, which is over before that pays (8 ms
   * less for one that writes rules); `normal` suits a process that stays.
   */
  jit?: Jit
}

/** See {@link CompileOptions.jit}. */
export type Jit = 'late' | 'normal'

/** The compiler's option for each; 30 times the calls are as good as never within a plugin's life. */
export const JIT_FLAGS: Readonly<Record<Jit, readonly string[]>> = { late: ['--compile-jit-policy=30'], normal: [] }

/**
 * Nothing in the working directory may change what the executable does: without these two, a compiled file loads
 * `.env` and runs the `preload` of a `bunfig.toml` it happens to be started beside.
 */
export const HERMETIC_FLAGS = ['--no-compile-autoload-dotenv', '--no-compile-autoload-bunfig'] as const

/**
 * Compile a bundle and its runtime into one executable file (about 110 MB; needs glibc 2.17 and a mounted `/proc`).
 *
 * The baseline compiler is used on purpose: what it writes runs on x86-64 without AVX2.
 *
 * @throws BuildError `NO_COMPILER` or `COMPILE` with the compiler's own message; a failed run leaves an older file as it was.
 */
export async function compile(options: CompileOptions): Promise<{ outfile: string; bytes: number }> {
  const compiler = options.compiler ?? findCompiler()
  const outfile = resolve(options.outfile)
  // The name goes into the file, so the temporary one differs by folder and not by name.
  const temporary = join(dirname(outfile), `.build-${process.pid}`, basename(outfile))
  const argv = [
    compiler,
    'build',
    '--compile',
    '--bytecode',
    '--minify',
    ...HERMETIC_FLAGS,
    ...JIT_FLAGS[options.jit ?? 'late'],
    resolve(options.bundle),
    '--outfile',
    temporary,
  ] as const
  try {
    await run([...argv])
    renameSync(temporary, outfile)
  } catch (cause) {
    const why = isRunError(cause) ? cause.stderr.trim() || cause.message : String(cause)
    throw new BuildError('COMPILE', `cannot compile ${options.bundle}: ${why}`, { cause })
  } finally {
    rmSync(dirname(temporary), { recursive: true, force: true })
  }
  return { outfile, bytes: statSync(outfile).size }
}

/**
 * The platform package's own binary: with install scripts blocked, the `bun` package's shim refuses to run.
 *
 * @throws BuildError `NO_COMPILER`
 */
export function findCompiler(): string {
  try {
    const manifest = createRequire(import.meta.url).resolve('@oven/bun-linux-x64-baseline/package.json')
    const compiler = join(dirname(manifest), 'bin', 'bun')
    if (existsSync(compiler)) return compiler
  } catch {
    // Reported below together with the remedy.
  }
  throw new BuildError(
    'NO_COMPILER',
    'the compiler is not installed: npm install --save-dev @oven/bun-linux-x64-baseline (linux x64 only)',
  )
}
