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
  /** Path of the executable. Equal bytes need an equal file name, because the executable contains the name. */
  outfile: string
  /** Runtime that the executable contains: `small` (QuickJS) or `bun`. Default: `small`. */
  runtime?: 'small' | 'bun'
  /**
   * Machine that the executable runs on. Default: the build machine. A default executable for x64 runs on any x86-64
   * processor.
   */
  target?: Target
  /** AbortSignal that ends the build. An aborted build removes its unfinished files. */
  signal?: AbortSignal
  /** Path of an additional bundle for Node 20.19 and later. */
  bundleFile?: string
  /** Additional file names of the executable, created as hard links or copies. Default: none. */
  names?: readonly string[]
  /**
   * Kind of test that starts the executable under each of its names. A `plugin` (the default) must answer
   * `CNI_COMMAND=VERSION`. A `command` must answer `--help`. `false` skips the test.
   */
  smoke?: 'plugin' | 'command' | false
  /**
   * True to keep the existing executable if its bundle and compiler have not changed. Needs a stamp file beside
   * `bundleFile`. Default: false.
   */
  incremental?: boolean
  /** Called after each step of the build with a line of text that a user can read. */
  onProgress?: (line: string) => void
}

export interface BuiltExecutable {
  outfile: string
  /** Paths of the executable under its other names. */
  names: readonly string[]
  /**
   * Path of the executable's source map, which the command `cni-build where` reads. Executables with bun have no source
   * map.
   */
  map?: string
  runtime: 'small' | 'bun'
  /** Version of the runtime (small runtime or bun) in the executable. */
  version: string
  target: Target
  /**
   * Size of the whole executable in bytes (`bytes`), and of the JavaScript bundle inside the executable
   * (`bundleBytes`).
   */
  bytes: number
  bundleBytes: number
  /** Size in bytes of each npm package in the executable's bundle, largest first. */
  packages: Bundle['packages']
  /** Warnings that esbuild printed while it bundled the program. */
  warnings: readonly string[]
  /** Median duration of one start in milliseconds, for the slowest name. Absent if the executable was not started. */
  startMs?: number
  /** Reason why the build did not start the executable although `smoke` asked for it. */
  notStarted?: string
  /** False if `incremental` kept the old executable. */
  compiled: boolean
}

type Started = Pick<BuiltExecutable, 'startMs' | 'notStarted'>

/**
 * Builds one executable from a program and tests that the executable starts.
 *
 * @example const built = await buildExecutable({ entry: 'src/main.ts', outfile: 'dist/my-plugin' })
 */
export async function buildExecutable(options: BuildExecutableOptions): Promise<BuiltExecutable> {
  try {
    return await build(options)
  } catch (error) {
    // An aborted step may fail with any error, so the build reports `ABORTED`.
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
      // Keeps an existing executable until the new one has started successfully.
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

/** Content of the stamp file: a hash of all inputs that determine the executable's bytes. */
function stampOf({ text }: Contents, tools: Tools, options: BuildExecutableOptions): string {
  const flags = tools.runtime === 'bun' ? BUN_FLAGS : []
  const base = statSync(baseFor(text, tools))
  const parts = [basename(options.outfile), text, flags, tools.target, tools.version, base.size, base.mtimeMs]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

const readIfExists = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, 'utf8') : undefined)

/** Adds the size of each package to the source map, so that `inspect` can print the sizes. */
const withPackages = ({ map = '{}', packages }: Contents): string =>
  JSON.stringify({ ...JSON.parse(map), x_packages: packages })
