import { dirname } from 'node:path'
import { run } from '@cni/host'
import { bunTarget } from '../tools/target.ts'
import type { Tools } from '../tools/tools.ts'

/**
 * Flags of `bun build`. With these flags, the executable does not read `.env`, `bunfig.toml`, `tsconfig.json` and
 * `package.json` in its working directory.
 */
const isolationFlags = [
  '--no-compile-autoload-dotenv',
  '--no-compile-autoload-bunfig',
  '--no-compile-autoload-tsconfig',
  '--no-compile-autoload-package-json',
] as const

/**
 * Flags that define `process.env.NODE_ENV` and `process.env.BUN_ENV` as themselves. The program then reads both
 * variables at run time. Without these flags, bun replaces both variables by constants at compile time.
 */
const environmentFlags = ['process.env.NODE_ENV', 'process.env.BUN_ENV'].map((name) => `--define=${name}=${name}`)

/** Flags of `bun build`. The flags, the bundle, the file name and the compiler decide every byte of the executable. */
export const BUN_FLAGS = [
  '--compile',
  '--bytecode',
  // Makes bun remove white space only, because its other minify flags rename functions and rewrite expressions.
  '--minify-whitespace',
  // Saves memory: bun compiles a function to machine code only after 30 times the default number of calls. Reason: bun
  // never frees machine code, even in an idle agent.
  '--compile-jit-policy=30',
  ...environmentFlags,
  ...isolationFlags,
] as const

/**
 * Runs `bun build --compile`. For an executable that runs on another type of machine, passes bun for that machine as a
 * file. Reason: bun would otherwise download it.
 */
export async function compileWithBun(
  { compiler, base, target }: Tools,
  { bundle, outfile, signal }: { bundle: string; outfile: string; signal: AbortSignal | undefined },
): Promise<void> {
  const crossFlags = base === compiler ? [] : [`--target=${bunTarget(target)}`, `--compile-executable-path=${base}`]
  await run([compiler, 'build', ...BUN_FLAGS, ...crossFlags, bundle, '--outfile', outfile], {
    // Runs bun in the bundle's temporary folder and without environment variables. Consequence: the executable does not
    // depend on the user's configuration of bun.
    cwd: dirname(bundle),
    env: {},
    signal,
  })
}
