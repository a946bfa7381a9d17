import { writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Argv, isRunError, run } from '@cni/host'
import { BuildError } from '../errors.ts'
import { writing } from '../output-files.ts'
import type { Tools } from '../tools.ts'
import { moduleName } from './bundle-small.ts'
import { sourcePlaces } from './source-places.ts'

export interface SmallProgram {
  text: string
  /** A source map; without it errors name places in `text`. */
  map: string | undefined
}

/**
 * Compiles a module to bytecode, and evaluates it once: the executable is the runtime with the heap of that.
 *
 * @returns the executable, in `folder` under the name of `outfile`
 */
export async function compileSmall(
  folder: string,
  { compiler, base, emulator }: Tools,
  { text, map }: SmallProgram,
  { outfile, signal }: { outfile: string; signal: AbortSignal | undefined },
): Promise<string> {
  const fresh = join(folder, basename(outfile))
  // Relative: the name of the module goes into the file, for stack traces.
  const module = moduleName(outfile)
  const bytecode = `${module}.bytecode`
  writing(outfile, () => writeFileSync(join(folder, module), text))
  const tell = (said: string) => (map === undefined ? said : sourcePlaces(map, dirname(outfile)).replaceIn(said))
  const step = async (argv: Argv): Promise<void> => {
    try {
      await run(argv, { cwd: folder, env: {}, signal })
    } catch (cause) {
      if (!isRunError(cause)) throw cause
      throw new BuildError('COMPILE', `cannot build ${outfile}: ${tell(cause.stderr.trim() || cause.message)}`, { cause })
    }
  }
  await step([compiler, module, bytecode])
  await step(emulator === undefined ? [base, bytecode, basename(fresh)] : [emulator, base, bytecode, basename(fresh)])
  return fresh
}
