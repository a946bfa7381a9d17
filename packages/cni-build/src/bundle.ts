import { mkdirSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { writeFileAtomic } from '@cni/host'
import type * as Esbuild from 'esbuild'
import { absent, externalPackages } from './absent-modules.ts'
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
  /** Entry module of the program, for example `src/main.ts`. */
  entry: string
  /** File that the bundle is written to. If `outfile` is missing, the bundle is only returned. */
  outfile?: string
  /** True to minify the bundle. At run time, functions and classes keep their names. Default: true. */
  minify?: boolean
  /** Additional conditions for `exports` of package.json, for example `@cni/source` inside this repository. */
  conditions?: readonly string[]
  /** Constants that replace names at build time: `{ __VERSION__: '"1.2.3"' }`. */
  define?: Readonly<Record<string, string>>
  /**
   * Runtime that runs the bundle. Default: Node or bun; at run time, they search for packages that the build did not
   * find. With this option, these packages count as not installed.
   * - `small`: the bundle contains the Node modules of the small runtime.
   * - `bun`: the program removes environment variables that configure bun.
   */
  runtime?: 'small' | 'bun'
  /**
   * True to evaluate the program's modules at build time. Only the small runtime supports this. Top-level code must not
   * read environment, clock or files. With `false`, every start evaluates the modules. Default: true.
   */
  snapshot?: boolean
}

export interface Bundle {
  /** JavaScript text of the bundle, without imports of files or packages. */
  text: string
  bytes: number
  /** Source files that the bundle contains, largest first. */
  inputs: ReadonlyArray<{ path: string; bytes: number }>
  /** Size in bytes of each npm package in the bundle, largest first. */
  packages: ReadonlyArray<{ package: string; bytes: number }>
  /** Warnings of esbuild, for example about `import.meta`, which is empty in CommonJS. */
  warnings: readonly string[]
}

/** Modules that a bundle never contains, because only some runtimes provide them. */
const external = ['koffi', 'netlink', 'bun:ffi', 'node:ffi']

/** Oldest version of Node that can run a bundle. */
const TARGET = 'node20'

/** Options for the bundle of one executable. `version` is the version of bun in the executable. */
type ProgramOptions = BundleOptions & { version?: string }

/** Bundle that goes into an executable. It has a source map if the executable uses the small runtime. */
export type Contents = Bundle & { readonly map?: string }

/**
 * Build-time constants for `process.versions` of an executable with bun. Because of these constants, esbuild drops
 * branches for other runtimes.
 */
const bunDefines = (version = findTools('bun').version): Readonly<Record<string, string>> => ({
  'process.versions.cni': 'undefined',
  'process.versions.bun': JSON.stringify(version),
})

/**
 * Bundles one entry into a single CommonJS file. Without `runtime`, Node 20.19 and later and bun run the file. The
 * bundler is esbuild because bun's bundler would make `node-fetch` ignore a custom CA.
 *
 * @throws BuildError `BUNDLE` with the bundler's messages, `NO_COMPILER` if esbuild is missing
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

/** Builds the bundle for the executable `outfile`. Returns the bundle and writes no file. */
export async function bundleContents(options: ProgramOptions): Promise<Contents> {
  const esbuild = needEsbuild()
  return bundling(esbuild, options, () =>
    options.runtime === 'small' ? smallContents(esbuild, options) : largeContents(esbuild, options),
  )
}

/** Bundles the program and the small runtime's JavaScript modules into one module. */
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
  const missing = externalPackages(first.metafile)
  const complete = { ...settings, plugins: [absent(() => missing)] }
  const { text, ...result } = missing.length === 0 ? first : await esbuildOnce(esbuild, options, complete)
  return { ...result, text: await withPrelude(esbuild, text, prelude, { minify, define }) }
}

/**
 * Runs `work`, which calls esbuild. Turns an error of esbuild into a `BuildError` that the program's author
 * understands.
 */
async function bundling<T>(esbuild: typeof Esbuild, options: ProgramOptions, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (isBuildError(cause)) throw cause
    // An esbuild error without a list of failures means that esbuild's package is missing.
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
    // Base folder of paths in the bundle. The paths must not depend on the working directory.
    absWorkingDir: folder,
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'cjs',
    target: TARGET,
    minifyWhitespace: minify,
    minifySyntax: minify,
    // Keeps names of functions and variables, because programs and error messages may print them.
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

// Loads esbuild from its npm package at run time, because the compiled `cni-build` cannot contain esbuild's JavaScript.
const needEsbuild = (): typeof Esbuild => needPackage('esbuild').require('./lib/main.js')

const isBuildFailure = (error: unknown): error is Esbuild.BuildFailure =>
  error instanceof Error && 'errors' in error && Array.isArray(error.errors)
