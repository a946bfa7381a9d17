import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { writeFileAtomic } from '@cni/host'
import { type Bundle, type BundleOptions, bundle, bundleContents, type Contents } from './bundle.ts'
import { compileIn } from './compile/compile.ts'
import { BUN_FLAGS } from './compile/compile-with-bun.ts'
import { BuildError } from './errors.ts'
import { giveNames, nameBeside, namePaths } from './names.ts'
import { checkOutputs, inFolderBeside, writing } from './output-files.ts'
import { startUp } from './start-up.ts'
import { notRunnable, type Target } from './tools/target.ts'
import { findTools, type Tools } from './tools/tools.ts'
import { baseFor } from './tools/tools-small.ts'

export interface BuildExecutableOptions extends Omit<BundleOptions, 'outfile' | 'runtime'> {
  /** The executable to write. Its name is part of its bytes: the same bundle and name give the same file. */
  outfile: string
  /** Default `small`. */
  runtime?: 'small' | 'bun'
  /** Default: this machine; on x64 the baseline, which every x86-64 runs. */
  target?: Target
  /** Ends the compiler; what was begun is removed. */
  signal?: AbortSignal
  /** Also write a bundle for Node 20.19 and later here; the one in the executable has only what its runtime needs. */
  bundleFile?: string
  /** More names of the executable: beside it, hard links, or copies on a file system without. Default: none. */
  names?: readonly string[]
  /**
   * Start the executable, under the name of `outfile` and each of `names`, as a plugin (`CNI_COMMAND=VERSION`, the
   * default) or a command (`--help`); false skips.
   */
  smoke?: 'plugin' | 'command' | false
  /** Keep the executable when neither bundle nor compiler has changed (a stamp beside `bundleFile`). Default false. */
  incremental?: boolean
  /** Called with each step that is done, as a line for people. */
  onProgress?: (line: string) => void
}

export interface BuiltExecutable {
  outfile: string
  /** Where its other names are. */
  names: readonly string[]
  /** The source map, for `cni-build where`: written for the small runtime. */
  map?: string
  runtime: 'small' | 'bun'
  /** The version of that runtime. */
  version: string
  target: Target
  /** Size of the executable, and of the bundle in it. */
  bytes: number
  bundleBytes: number
  /** Who takes how much of the bundle, largest first. */
  packages: Bundle['packages']
  /** What the bundler says about source that it accepted. */
  warnings: readonly string[]
  /**
   * Whole-process time of one start in milliseconds, the median of five, under its slowest name; absent when it was not
   * started.
   */
  startMs?: number
  /** Why it was not started though that was wanted. */
  notStarted?: string
  /** False when nothing had changed and the file was kept. */
  compiled: boolean
}

type Started = Pick<BuiltExecutable, 'startMs' | 'notStarted'>

/**
 * Bundle, compile and start one executable.
 *
 * @example
 * const built = await buildExecutable({ entry: 'src/main.ts', outfile: 'dist/my-plugin' })
 */
export async function buildExecutable(options: BuildExecutableOptions): Promise<BuiltExecutable> {
  try {
    return await build(options)
  } catch (error) {
    // Whatever an aborted child process or step looks like from outside.
    if (!options.signal?.aborted) throw error
    const { reason } = options.signal
    throw new BuildError('ABORTED', reason instanceof Error ? reason.message : 'stopped', { cause: error })
  }
}

async function build(options: BuildExecutableOptions): Promise<BuiltExecutable> {
  const outfile = resolve(options.outfile)
  const names = namePaths(outfile, options.names ?? [])
  const others = Object.fromEntries(names.map((path) => [`name ${basename(path)}`, path]))
  checkOutputs(options.entry, { outfile: options.outfile, bundle: options.bundleFile, ...others })
  const say = options.onProgress ?? (() => {})
  const tools = findTools(options.runtime, options.target)
  const { runtime, target, version } = tools
  const { runtime: _, ...source } = options
  const contents = await bundleContents({ ...source, outfile, runtime, version })
  if (options.bundleFile) await bundle({ ...source, outfile: options.bundleFile })
  say(`bundled ${options.entry} (${(contents.bytes / 1e3).toFixed(1)} kB)`)
  for (const warning of contents.warnings) say(warning)

  const stampFile = options.incremental && options.bundleFile ? `${resolve(options.bundleFile)}.stamp` : undefined
  const stamp = stampOf(contents, tools, options)
  const kept = stampFile !== undefined && existsSync(outfile) && readIfExists(stampFile) === stamp
  let started: Started = {}
  if (!kept) {
    await inFolderBeside(outfile, async (folder) => {
      const fresh = await compileIn(folder, tools, contents, options)
      say(`compiled with ${runtime} ${version} for ${target}`)
      const others = giveNames(fresh, folder, names)
      started = await start([fresh, ...others], tools, options, say)
      options.signal?.throwIfAborted()
      // The older file stays until the new one has been started.
      writing(outfile, () => renameSync(fresh, outfile))
    })
    if (stampFile !== undefined) writeFileAtomic(stampFile, stamp, { mode: 0o644 })
  }
  const map = contents.map === undefined ? undefined : `${outfile}.map`
  if (map !== undefined) writeFileAtomic(map, withPackages(contents), { mode: 0o644 })
  await nameBeside(outfile, names)
  return {
    outfile,
    names,
    ...(map === undefined ? {} : { map }),
    runtime,
    version,
    target,
    bytes: statSync(outfile).size,
    bundleBytes: contents.bytes,
    packages: contents.packages,
    warnings: contents.warnings,
    ...started,
    compiled: !kept,
  }
}

async function start(
  executables: readonly string[],
  { target, runtime }: Tools,
  { smoke = 'plugin', signal }: BuildExecutableOptions,
  say: (line: string) => void,
) {
  if (smoke === false) return {}
  const notStarted = notRunnable(target, runtime)
  if (notStarted !== undefined) {
    say(`not started: ${notStarted}`)
    return { notStarted }
  }
  const times: number[] = []
  for (const executable of executables) times.push(await startUp(executable, smoke, signal))
  const startMs = Math.max(...times)
  say(`started it: ${startMs.toFixed(1)} ms`)
  return { startMs }
}

/** All that decides about the bytes of the executable. */
function stampOf({ text }: Contents, tools: Tools, options: BuildExecutableOptions): string {
  const flags = tools.runtime === 'bun' ? BUN_FLAGS : []
  const base = statSync(baseFor(text, tools))
  const parts = [basename(options.outfile), text, flags, tools.target, tools.version, base.size, base.mtimeMs]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

const readIfExists = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, 'utf8') : undefined)

/** The source map with what `inspect` tells of the bundle. */
const withPackages = ({ map = '{}', packages }: Contents): string =>
  JSON.stringify({ ...JSON.parse(map), x_packages: packages })
