import { dirname } from 'node:path'
import { run } from '@cni/host'
import { bunTarget } from '../tools/target.ts'
import type { Tools } from '../tools/tools.ts'

/**
 * Nothing in the working directory may change what the executable does. Without the first two flags it loads `.env` and
 * runs the `preload` of a `bunfig.toml` there. The last two state bun's default.
 */
const isolationFlags = [
  '--no-compile-autoload-dotenv',
  '--no-compile-autoload-bunfig',
  '--no-compile-autoload-tsconfig',
  '--no-compile-autoload-package-json',
] as const

/**
 * Variables that bun replaces by a constant of its own when it compiles. Each is replaced by itself: the program reads
 * its environment.
 */
const environmentFlags = ['process.env.NODE_ENV', 'process.env.BUN_ENV'].map((name) => `--define=${name}=${name}`)

/**
 * The flags of `bun build`. With the bundle, the name and the compiler they decide every byte of the executable.
 */
export const BUN_FLAGS = [
  '--compile',
  '--bytecode',
  // White space only: bun's other ways to minify rename functions and rewrite expressions.
  '--minify-whitespace',
  // Compiled functions take memory that an agent at rest never gives back: each has to run 30 times as often before.
  '--compile-jit-policy=30',
  ...environmentFlags,
  ...isolationFlags,
] as const

/** Runs `bun build --compile`. The runtime of another target comes from a file: bun would download it. */
export async function compileWithBun(
  { compiler, base, target }: Tools,
  { bundle, outfile, signal }: { bundle: string; outfile: string; signal: AbortSignal | undefined },
): Promise<void> {
  const crossFlags = base === compiler ? [] : [`--target=${bunTarget(target)}`, `--compile-executable-path=${base}`]
  await run([compiler, 'build', ...BUN_FLAGS, ...crossFlags, bundle, '--outfile', outfile], {
    // bun reads configuration from its working directory and environment; the executable must not depend on either.
    cwd: dirname(bundle),
    env: {},
    signal,
  })
}
