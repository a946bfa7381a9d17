import { dirname } from 'node:path'
import { run } from '@cni/host'
import { bunTarget } from '../tools/target.ts'
import type { Tools } from '../tools/tools.ts'

/**
 * Flags that keep the executable independent of its working directory. Without the first two, it loads `.env` and runs
 * the `preload` of `bunfig.toml` there. The last two state bun's default.
 */
const isolationFlags = [
  '--no-compile-autoload-dotenv',
  '--no-compile-autoload-bunfig',
  '--no-compile-autoload-tsconfig',
  '--no-compile-autoload-package-json',
] as const

/**
 * Stops bun from replacing these variables by constants at compile time: each is defined as itself. The program then
 * reads its environment.
 */
const environmentFlags = ['process.env.NODE_ENV', 'process.env.BUN_ENV'].map((name) => `--define=${name}=${name}`)

/** Flags of `bun build`. Together with bundle, name and compiler they decide every byte of the executable. */
export const BUN_FLAGS = [
  '--compile',
  '--bytecode',
  // Removes white space only: bun's other ways to minify rename functions and rewrite expressions.
  '--minify-whitespace',
  // An idle agent never returns the memory of compiled functions. A function has to run 30 times as often as by default
  // before bun compiles it.
  '--compile-jit-policy=30',
  ...environmentFlags,
  ...isolationFlags,
] as const

/** Runs `bun build --compile`. The runtime for another target is read from a file: bun would download it. */
export async function compileWithBun(
  { compiler, base, target }: Tools,
  { bundle, outfile, signal }: { bundle: string; outfile: string; signal: AbortSignal | undefined },
): Promise<void> {
  const crossFlags = base === compiler ? [] : [`--target=${bunTarget(target)}`, `--compile-executable-path=${base}`]
  await run([compiler, 'build', ...BUN_FLAGS, ...crossFlags, bundle, '--outfile', outfile], {
    // bun reads configuration from its working directory and environment; the executable must not depend on them.
    cwd: dirname(bundle),
    env: {},
    signal,
  })
}
