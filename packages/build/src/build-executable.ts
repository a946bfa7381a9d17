import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { run, writeFileAtomic } from '@cni/host'
import { type BundleOptions, bundle } from './bundle.ts'
import { type CompileOptions, compile, findCompiler, HERMETIC_FLAGS, JIT_FLAGS, type Jit } from './compile.ts'
import { BuildError } from './errors.ts'

export interface BuildExecutableOptions extends Omit<BundleOptions, 'outfile'> {
  outfile: string
  /** Keep the bundle here; default: beside the executable as `<name>.cjs`, removed afterwards. */
  bundleFile?: string
  /** Run the result once as `CNI_COMMAND=VERSION` (a plugin) or with `--help` (a command). Default `plugin`; false skips. */
  smoke?: 'plugin' | 'command' | false
  /** See {@link CompileOptions.jit}. Default `late`. */
  jit?: Jit
  /** Skip the compiler when bundle and compiler are those of the last build (a stamp beside `bundleFile`). Default false. */
  incremental?: boolean
}

export interface BuiltExecutable {
  outfile: string
  /** Size of the executable and of the bundle in it. */
  bytes: number
  bundleBytes: number
  /** Whole-process time of the smoke test in milliseconds; absent when it was skipped. */
  smokeMs?: number
  /** False when nothing had changed and the file was kept. */
  compiled: boolean
}

/**
 * Bundle, compile and smoke-test one executable.
 *
 * @example
 * const built = await buildExecutable({ entry: 'src/main.ts', outfile: 'dist/my-plugin' })
 */
export async function buildExecutable(options: BuildExecutableOptions): Promise<BuiltExecutable> {
  const outfile = resolve(options.outfile)
  const bundleFile = resolve(options.bundleFile ?? `${outfile}.cjs`)
  mkdirSync(dirname(outfile), { recursive: true })
  const { text, bytes: bundleBytes } = await bundle({ ...options, outfile: bundleFile })
  try {
    const stampFile = `${bundleFile}.stamp`
    const { jit = 'late' } = options
    const stamp = stampOf(text, jit)
    if (options.incremental && existsSync(outfile) && readIfExists(stampFile) === stamp) {
      return { outfile, bytes: statSync(outfile).size, bundleBytes, compiled: false }
    }
    const { bytes } = await compile({ bundle: bundleFile, outfile, jit })
    const smokeMs = options.smoke === false ? undefined : await smokeTest(outfile, options.smoke ?? 'plugin')
    if (options.incremental) writeFileAtomic(stampFile, stamp, { mode: 0o644 })
    return { outfile, bytes, bundleBytes, compiled: true, ...(smokeMs === undefined ? {} : { smokeMs }) }
  } finally {
    if (!options.bundleFile) rmSync(bundleFile, { force: true })
  }
}

const stampOf = (text: string, jit: Jit): string => {
  const compiler = statSync(findCompiler())
  return createHash('sha256')
    .update([text, [...HERMETIC_FLAGS, ...JIT_FLAGS[jit]].join(' '), compiler.size, compiler.mtimeMs].join('\0'))
    .digest('hex')
}

const readIfExists = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, 'utf8') : undefined)

/** Start it the way a container runtime does: empty environment, working directory `/`. */
async function smokeTest(executable: string, kind: 'plugin' | 'command'): Promise<number> {
  const argv: [string, ...string[]] = kind === 'plugin' ? [executable] : [executable, '--help']
  const result = await run(argv, {
    env: kind === 'plugin' ? { CNI_COMMAND: 'VERSION' } : {},
    cwd: '/',
    timeout: 10_000,
    reject: false,
  })
  if (result.failed || result.stdout.trim() === '') {
    const said = (result.stderr || result.stdout).trim().slice(0, 2000) || 'it printed nothing'
    const asked = kind === 'plugin' ? 'CNI_COMMAND=VERSION' : '--help'
    throw new BuildError('SMOKE', `${join('…', basename(executable))} does not answer ${asked}: ${said}`)
  }
  return result.durationMs
}
