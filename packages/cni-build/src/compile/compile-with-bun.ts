import { dirname } from 'node:path'
import { run } from '@cni/host'
import { bunTarget } from '../tools/target.ts'
import type { Tools } from '../tools/tools.ts'

/** Flags of `bun build` that make the executable ignore files in its working directory. */
const isolationFlags = [
  '--no-compile-autoload-dotenv',
  '--no-compile-autoload-bunfig',
  '--no-compile-autoload-tsconfig',
  '--no-compile-autoload-package-json',
] as const

/** Flags that keep bun from replacing `NODE_ENV` and `BUN_ENV` by constants. */
const environmentFlags = ['process.env.NODE_ENV', 'process.env.BUN_ENV'].map((name) => `--define=${name}=${name}`)

/** Flags of `bun build`. Other flags would give an executable with other bytes. */
export const BUN_FLAGS = [
  '--compile',
  '--bytecode',
  // Makes bun remove white space only, because bun's other minify flags rename functions and rewrite expressions.
  '--minify-whitespace',
  // Saves memory: bun compiles fewer functions to machine code. Machine code is never freed.
  '--compile-jit-policy=30',
  ...environmentFlags,
  ...isolationFlags,
] as const

/** Runs `bun build --compile`. For another machine, passes the path of that machine's bun, to avoid a download. */
export async function compileWithBun(
  { compiler, base, target }: Tools,
  { bundle, outfile, signal }: { bundle: string; outfile: string; signal: AbortSignal | undefined },
): Promise<void> {
  const crossFlags = base === compiler ? [] : [`--target=${bunTarget(target)}`, `--compile-executable-path=${base}`]
  await run([compiler, 'build', ...BUN_FLAGS, ...crossFlags, bundle, '--outfile', outfile], {
    // Hides the user's configuration of bun, because it must not change the executable.
    cwd: dirname(bundle),
    env: {},
    signal,
  })
}
