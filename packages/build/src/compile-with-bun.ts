import { dirname } from 'node:path'
import { run } from '@cni/host'
import { bunTarget } from './target.ts'
import type { Tools } from './tools.ts'

/** When bun's compiler of hot functions starts. */
export type Jit = 'late' | 'normal'

/** The compiler's option for each; 30 times the calls are as good as never within a plugin's life. */
const JIT_FLAGS: Readonly<Record<Jit, readonly string[]>> = { late: ['--compile-jit-policy=30'], normal: [] }

/**
 * Nothing in the working directory may change what the executable does: without the first two, a compiled file loads
 * `.env` and runs the `preload` of a `bunfig.toml` it happens to be started beside. The others are what bun does anyway.
 */
const HERMETIC_FLAGS = [
  '--no-compile-autoload-dotenv',
  '--no-compile-autoload-bunfig',
  '--no-compile-autoload-tsconfig',
  '--no-compile-autoload-package-json',
] as const

/** Everything that decides about the bytes of an executable, but its bundle, name and compiler. */
export const bunFlags = (jit: Jit): readonly string[] => [
  '--compile',
  '--bytecode',
  '--minify',
  ...HERMETIC_FLAGS,
  ...JIT_FLAGS[jit],
]

/** `bun build --compile`, with the runtime of another target from a file: bun would download it. */
export async function compileWithBun(
  { compiler, base, target }: Tools,
  options: { bundle: string; outfile: string; jit: Jit; signal: AbortSignal | undefined },
): Promise<void> {
  const cross = base === compiler ? [] : [`--target=${bunTarget(target)}`, `--compile-executable-path=${base}`]
  await run([compiler, 'build', ...bunFlags(options.jit), ...cross, options.bundle, '--outfile', options.outfile], {
    // bun reads configuration from its working directory and the environment; the executable must not depend on it.
    cwd: dirname(options.bundle),
    env: {},
    signal: options.signal,
  })
}
