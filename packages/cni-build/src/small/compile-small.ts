import { writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isRunError, run } from '@cni/host'
import { BuildError } from '../errors.ts'
import { writing } from '../output-files.ts'
import type { Tools } from '../tools/tools.ts'
import { baseFor } from '../tools/tools-small.ts'
import { moduleName } from './bundle-small.ts'
import { sourcePositions } from './source-positions.ts'

export interface SmallProgram {
  text: string
  /** Source map of the bundle. Without a source map, error messages name positions in the bundle. */
  map: string | undefined
}

/**
 * Compiles and evaluates a bundled module. The executable contains the JavaScript heap after the evaluation.
 *
 * @returns the executable, in `folder` under the name of `outfile`
 */
export async function compileSmall(
  folder: string,
  tools: Tools,
  { text, map }: SmallProgram,
  { outfile, signal }: { outfile: string; signal: AbortSignal | undefined },
): Promise<string> {
  const { compiler, emulator } = tools
  const executable = join(folder, basename(outfile))
  // Passes the module's path relative to the folder, because the executable stores this path for stack traces.
  const module = moduleName(outfile)
  const bytecode = `${module}.bytecode`
  writing(outfile, () => writeFileSync(join(folder, module), text))
  const positions = map === undefined ? undefined : sourcePositions(map, dirname(resolve(outfile)))
  const step = async (what: string, argv: readonly [string, ...string[]]): Promise<void> => {
    try {
      await run(argv, { cwd: folder, env: {}, signal })
    } catch (cause) {
      if (!isRunError(cause)) throw cause
      const said = cause.stderr.trim() || cause.message
      const message = `${what} ${outfile}: ${positions?.replaceIn(said) ?? said}${advice(said)}`
      throw new BuildError('COMPILE', message, { cause })
    }
  }
  await step('cannot compile', [compiler, module, bytecode])
  const evaluate = [baseFor(text, tools), bytecode, basename(executable)] as const
  await step('cannot evaluate the modules of', emulator === undefined ? evaluate : [emulator, ...evaluate])
  return executable
}

// internal

/** Advice that `cni-build` adds to error messages of the native bytecode compiler. */
const ADVICE: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /was used while the (program was built|image was made)/,
    'Modules are evaluated once, by the build: read environment, clock and files in a function that a handler calls, or build with --no-snapshot.',
  ],
  [
    /registers no main function/,
    'End the entry with pluginMain(plugin) of @cni/skel or atStart(main) of @cni/host/cli, or build with --no-snapshot.',
  ],
  [/invalid regular expression flags/, 'The small runtime has the flags d, g, i, m, s, u and y.'],
]

function advice(said: string): string {
  const found = ADVICE.find(([about]) => about.test(said))
  return found === undefined ? '' : `\n${found[1]}`
}
