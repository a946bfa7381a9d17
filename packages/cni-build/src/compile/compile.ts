import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isRunError } from '@cni/host'
import { BuildError } from '../errors.ts'
import { writing } from '../output-files.ts'
import { compileSmall } from '../small/compile-small.ts'
import type { Tools } from '../tools/tools.ts'
import { compileWithBun } from './compile-with-bun.ts'

/**
 * Compiles a bundle and its runtime into one executable file in a temporary folder.
 *
 * @throws BuildError `NO_COMPILER`, or `COMPILE` with the compiler's message
 * @returns the file, which has the name of `outfile`
 */
export async function compileIn(
  folder: string,
  tools: Tools,
  { text, map }: { readonly text: string; readonly map?: string | undefined },
  { outfile, signal }: { readonly outfile: string; readonly signal?: AbortSignal | undefined },
): Promise<string> {
  if (tools.runtime === 'small') return compileSmall(folder, tools, { text, map }, { outfile, signal })
  // Uses the final file names already here, because bun writes them into the executable.
  const executable = join(folder, basename(outfile))
  const files = { bundle: `${executable}.cjs`, outfile: executable }
  try {
    writing(outfile, () => writeFileSync(files.bundle, text))
    await compileWithBun(tools, { ...files, signal })
  } catch (cause) {
    if (cause instanceof BuildError) throw cause
    const why = isRunError(cause) ? cause.stderr.trim() || cause.message : String(cause)
    // Replaces paths of temporary files in the compiler's message, because the user does not know these files.
    const message = why.replaceAll(`${executable}.cjs`, 'the bundle').replaceAll(executable, outfile)
    throw new BuildError('COMPILE', `cannot compile ${outfile}: ${message}`, { cause })
  }
  return executable
}
