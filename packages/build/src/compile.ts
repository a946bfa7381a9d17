import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isRunError } from '@cni/host'
import { compileWithBun, type Jit } from './compile-with-bun.ts'
import { compileWithNode } from './compile-with-node.ts'
import { BuildError } from './errors.ts'
import type { Runtime, Target } from './target.ts'
import { findTools } from './tools.ts'

export interface CompileOptions {
  /** The bundle: one CommonJS file without top-level await. */
  bundle: string
  /** The executable to write. Its name is part of its bytes: the same bundle and name give the same file. */
  outfile: string
  /** Default `bun`. */
  runtime?: Runtime
  /** Default: this machine; on x64 the baseline, which every x86-64 runs. */
  target?: Target
  /**
   * When bun begins to compile hot functions. `late`, the default, suits a plugin, which is over before that pays (8 ms
   * less for one that writes rules); `normal` suits a process that stays.
   */
  jit?: Jit
}

/**
 * Compile a bundle and its runtime into one executable file, which ignores what lies in its working directory.
 *
 * @throws BuildError `NO_COMPILER` or `COMPILE` with the compiler's own message; a failed run leaves an older file as it was.
 */
export async function compile(options: CompileOptions): Promise<{ outfile: string; bytes: number }> {
  const outfile = resolve(options.outfile)
  const tools = findTools(options.runtime, options.target)
  // On the same file system, so that the result appears under its name at once and whole. Both names go into the file.
  mkdirSync(dirname(outfile), { recursive: true })
  const folder = mkdtempSync(join(dirname(outfile), '.build-'))
  const bundle = join(folder, `${basename(outfile)}.cjs`)
  const temporary = join(folder, basename(outfile))
  try {
    writeFileSync(bundle, readFileSync(options.bundle))
    if (tools.runtime === 'bun') await compileWithBun(tools, { bundle, outfile: temporary, jit: options.jit ?? 'late' })
    else await compileWithNode(tools, { bundle, outfile: temporary })
    renameSync(temporary, outfile)
  } catch (cause) {
    const why = isRunError(cause) ? cause.stderr.trim() || cause.message : String(cause)
    throw new BuildError('COMPILE', `cannot compile ${options.bundle}: ${why}`, { cause })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return { outfile, bytes: statSync(outfile).size }
}
