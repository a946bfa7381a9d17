import { dirname } from 'node:path'
import { run } from '@cni/host'
import { EMBEDDED } from './programs.ts'
import { bunTarget } from './target.ts'
import type { Tools } from './tools.ts'

/** When the executable begins to compile hot functions: `late` never does within the life of a plugin. */
export type Jit = 'late' | 'normal'

/** A function has to run 30 times as often before it is compiled with `late`. */
const jitFlags: Readonly<Record<Jit, readonly string[]>> = { late: ['--compile-jit-policy=30'], normal: [] }

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
export const bunFlags = (jit: Jit): readonly string[] => [
  '--compile',
  '--bytecode',
  // White space only: bun's other ways to minify rename functions and rewrite expressions.
  '--minify-whitespace',
  `--external=${EMBEDDED}*`,
  ...environmentFlags,
  ...isolationFlags,
  ...jitFlags[jit],
]

/** Runs `bun build --compile`. The runtime of another target comes from a file: bun would download it. */
export async function compileWithBun(
  { compiler, base, target }: Tools,
  options: {
    bundle: string
    /** What the bundle loads by itself. */
    modules: readonly string[]
    outfile: string
    jit: Jit
    signal: AbortSignal | undefined
  },
): Promise<void> {
  const crossFlags = base === compiler ? [] : [`--target=${bunTarget(target)}`, `--compile-executable-path=${base}`]
  const flags = [...bunFlags(options.jit), ...crossFlags]
  const sources = [options.bundle, ...options.modules]
  await run([compiler, 'build', ...flags, ...sources, '--outfile', options.outfile], {
    // bun reads configuration from its working directory and environment; the executable must not depend on either.
    cwd: dirname(options.bundle),
    env: {},
    signal: options.signal,
  })
}
