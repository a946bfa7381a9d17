import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { isRunError } from '@cni/host'
import { compileWithBun } from './compile-with-bun.ts'
import { BuildError } from './errors.ts'
import { checkOutputs, inFolderBeside, writing } from './output-files.ts'
import { compileSmall } from './small/compile-small.ts'
import type { Runtime, Target } from './target.ts'
import { findTools, type Tools } from './tools.ts'

export interface CompileOptions {
  /** The bundle, as `bundle` makes it for the same runtime. */
  bundle: string
  /** The executable to write. Its name is part of its bytes: the same bundle and name give the same file. */
  outfile: string
  /** Default `small`. */
  runtime?: Runtime
  /** Default: this machine; on x64 the baseline, which every x86-64 runs. */
  target?: Target
  /** Ends the compiler; what was begun is removed. */
  signal?: AbortSignal
}

/**
 * Compile a bundle and its runtime into one executable file, which ignores what lies in its working directory.
 *
 * @throws BuildError `NO_COMPILER` or `COMPILE` with the compiler's own message; a failed run leaves an older file as it was.
 */
export async function compile(options: CompileOptions): Promise<{ outfile: string; bytes: number }> {
  checkOutputs(options.bundle, { outfile: options.outfile })
  const outfile = resolve(options.outfile)
  const tools = findTools(options.runtime, options.target)
  const text = readBundle(options.bundle)
  await inFolderBeside(outfile, async (folder) => {
    const fresh = await compileIn(folder, tools, { text }, options)
    writing(outfile, () => renameSync(fresh, outfile))
  })
  return { outfile, bytes: statSync(outfile).size }
}

/**
 * The same inside a folder that is there for it.
 *
 * @returns the file, which has the name of `outfile`
 */
export async function compileIn(
  folder: string,
  tools: Tools,
  { text, map }: { readonly text: string; readonly map?: string | undefined },
  { outfile, signal }: Pick<CompileOptions, 'outfile' | 'signal'>,
): Promise<string> {
  if (tools.runtime === 'small') return compileSmall(folder, tools, { text, map }, { outfile, signal })
  // Both names go into the file.
  const fresh = join(folder, basename(outfile))
  const files = { bundle: `${fresh}.cjs`, outfile: fresh }
  try {
    writing(outfile, () => writeFileSync(files.bundle, text))
    await compileWithBun(tools, { ...files, signal })
  } catch (cause) {
    if (cause instanceof BuildError) throw cause
    const why = isRunError(cause) ? cause.stderr.trim() || cause.message : String(cause)
    // The tools know the temporary folder only.
    const told = why.replaceAll(`${fresh}.cjs`, 'the bundle').replaceAll(fresh, outfile)
    throw new BuildError('COMPILE', `cannot compile ${outfile}: ${told}`, { cause })
  }
  return fresh
}

function readBundle(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new BuildError(
      'COMPILE',
      `cannot read the bundle ${file}: ${cause instanceof Error ? cause.message : cause}`,
      { cause },
    )
  }
}
