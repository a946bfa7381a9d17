import { mkdirSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { writeFileAtomic } from '@cni/host'
import type * as Esbuild from 'esbuild'
import { absent, leftToRunTime } from './absent-modules.ts'
import { messagesOf } from './bundle-messages.ts'
import { shares } from './bundle-shares.ts'
import { BuildError, isBuildError } from './errors.ts'
import { writing } from './output-files.ts'
import { preludeDefine, readPrelude, withPrelude } from './prelude.ts'
import { bundleSmall } from './small/bundle-small.ts'
import { findPlatform } from './small/platform.ts'
import type { SmallBundle } from './small/small-bundle.ts'
import { isAllStrict, strict } from './strict-mode.ts'
import { needPackage } from './tools/find-package.ts'
import { findTools } from './tools/tools.ts'

export interface BundleOptions {
  /** The entry module, for example `src/main.ts`. */
  entry: string
  /** Where the bundle goes; nothing is written when absent. */
  outfile?: string
  /** Leave out white space and shorten expressions. Names stay in either case. Default true. */
  minify?: boolean
  /** Extra `exports` conditions, for example `@cni/source` inside this repository. */
  conditions?: readonly string[]
  /** Replaced at build time: `{ __VERSION__: '"1.2.3"' }`. */
  define?: Readonly<Record<string, string>>
  /**
   * Make it part of an executable with this runtime. `process.versions.bun` becomes a constant, and the bundle leaves out
   * the branches that it rules out with all they import. A package that is not in the bundle counts as not installed. The
   * program starts anew where the environment holds a variable of the runtime. Default: a bundle for both runtimes, which
   * looks for such packages when it runs. One for the small runtime has that runtime's modules in it.
   */
  runtime?: 'small' | 'bun'
  /**
   * Evaluates the modules when the executable is built; for the small runtime only. Modules may then read neither
   * environment nor clock nor files at their top level. False: they are evaluated at each start. Default: true.
   */
  snapshot?: boolean
}

export interface Bundle {
  /** One file, no imports but the runtime's own: CommonJS, for the small runtime an ES module. */
  text: string
  bytes: number
  /** The input files that ended up in it, largest first. */
  inputs: ReadonlyArray<{ path: string; bytes: number }>
  /** Bytes of each package, by the name in its `package.json`, largest first. */
  packages: ReadonlyArray<{ package: string; bytes: number }>
  /** What the bundler says about source that it accepted, for example `import.meta`, which is empty in CommonJS. */
  warnings: readonly string[]
}

/** Loaded at run time if the runtime has them; never part of a bundle. */
const external = ['koffi', 'netlink', 'bun:ffi', 'node:ffi']

/** The oldest Node that a bundle runs on. */
const TARGET = 'node20'

/** Options for one executable, which knows the version of its runtime. */
type ProgramOptions = BundleOptions & { version?: string }

/** A bundle on its way into an executable, for the small runtime with its source map. */
export type Contents = Bundle & { readonly map?: string }

/** Constants that have the value that the program finds in its runtime. esbuild drops the branches that they rule out. */
const bunDefines = (version = findTools('bun').version): Readonly<Record<string, string>> => ({
  'process.versions.cni': 'undefined',
  'process.versions.bun': JSON.stringify(version),
})

/**
 * Bundle one entry into a single CommonJS file. Without `runtime`, Node 20.19 and later and bun run it unchanged.
 *
 * CommonJS, because `bun build --bytecode` takes nothing else; esbuild, because bun's own bundler swaps `node-fetch`
 * and `undici` for its built-in fetch, which ignores a custom CA.
 *
 * @throws BuildError `BUNDLE` with the bundler's own messages, `NO_COMPILER` when esbuild is missing.
 */
export async function bundle(options: BundleOptions): Promise<Bundle> {
  const { outfile } = options
  const { map: _, ...result } = await bundleContents(options)
  if (outfile) {
    writing(outfile, () => {
      mkdirSync(dirname(resolve(outfile)), { recursive: true })
      writeFileAtomic(resolve(outfile), result.text, { mode: 0o644 })
    })
  }
  return result
}

/** Builds the bundle of an executable `outfile`, which is not written. */
export async function bundleContents(options: ProgramOptions): Promise<Contents> {
  const esbuild = needEsbuild()
  return bundling(esbuild, options, () =>
    options.runtime === 'small' ? smallContents(esbuild, options) : largeContents(esbuild, options),
  )
}

/** Bundles the program and the platform into one module. */
async function smallContents(esbuild: typeof Esbuild, options: BundleOptions): Promise<Contents> {
  const { entry, outfile = 'bundle', minify = true, conditions = [], define = {}, snapshot = true } = options
  const settings = { entry, outfile, minify, conditions, define, snapshot }
  const { map, ...built } = await bundleSmall(esbuild, findPlatform(), settings)
  return { ...bundleOf(esbuild, built, folderOf(options)), map }
}

async function largeContents(esbuild: typeof Esbuild, options: ProgramOptions): Promise<Contents> {
  return bundleOf(esbuild, await textWith(esbuild, options), folderOf(options))
}

function bundleOf(
  esbuild: typeof Esbuild,
  { text, metafile, warnings }: Omit<SmallBundle, 'map'>,
  folder: string,
): Bundle {
  const output = Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint !== undefined)
  const inputs = Object.entries(output?.inputs ?? {})
    .map(([path, input]) => ({ path: relative('', resolve(folder, path)), bytes: input.bytesInOutput }))
    .sort((a, b) => b.bytes - a.bytes)
  return {
    text,
    bytes: Buffer.byteLength(text),
    inputs,
    packages: shares(inputs),
    warnings: [...new Set(messagesOf(esbuild, 'warning', warnings, folder))],
  }
}

async function textWith(esbuild: typeof Esbuild, options: ProgramOptions) {
  const { runtime, version, minify = true } = options
  if (runtime === undefined) return esbuildOnce(esbuild, options, {})
  const prelude = await readPrelude(esbuild)
  const define = bunDefines(version)
  const settings = { define: { ...preludeDefine(prelude), ...define } }
  const first = await esbuildOnce(esbuild, options, settings)
  const missing = leftToRunTime(first.metafile)
  const complete = { ...settings, plugins: [absent(() => missing)] }
  const { text, ...result } = missing.length === 0 ? first : await esbuildOnce(esbuild, options, complete)
  return { ...result, text: await withPrelude(esbuild, text, prelude, { minify, define }) }
}

/** Turns what esbuild throws into an error for the author of the source. */
async function bundling<T>(esbuild: typeof Esbuild, options: ProgramOptions, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (isBuildError(cause)) throw cause
    // Without a list it is esbuild itself that does not start: its own package for this machine is missing.
    if (!isBuildFailure(cause)) throw new BuildError('NO_COMPILER', `esbuild does not run: ${cause}`, { cause })
    const errors = messagesOf(esbuild, 'error', cause.errors, folderOf(options)).join('\n\n')
    throw new BuildError('BUNDLE', `cannot bundle ${options.entry}:\n${errors}`, { cause })
  }
}

async function esbuildOnce(
  esbuild: typeof Esbuild,
  { entry, minify = true, conditions = [], define }: BundleOptions,
  settings: Pick<Esbuild.BuildOptions, 'define' | 'plugins'>,
) {
  const folder = folderOf({ entry })
  const { outputFiles, metafile, warnings } = await esbuild.build({
    entryPoints: [resolve(entry)],
    // Comments and names that are not minified hold paths from here: not from the working directory.
    absWorkingDir: folder,
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'cjs',
    target: TARGET,
    minifyWhitespace: minify,
    minifySyntax: minify,
    // Names are part of what a program prints, and error messages of bun quote those of variables.
    keepNames: true,
    legalComments: 'none',
    conditions: [...conditions],
    ...settings,
    define: { ...settings.define, ...define },
    external,
    logLevel: 'silent',
  })
  const text = outputFiles[0]?.text ?? ''
  return { text: isAllStrict(folder, metafile) ? strict(text) : text, metafile, warnings }
}

const folderOf = ({ entry }: Pick<BundleOptions, 'entry'>): string => dirname(resolve(entry))

// Found at use and not imported: its JavaScript cannot be bundled, and `cni-build` is compiled, too.
const needEsbuild = (): typeof Esbuild => needPackage('esbuild').require('./lib/main.js')

const isBuildFailure = (error: unknown): error is Esbuild.BuildFailure =>
  error instanceof Error && 'errors' in error && Array.isArray(error.errors)
