import { dirname, resolve } from 'node:path'
import type * as Esbuild from 'esbuild'
import { absent, leftToRunTime } from '../absent-modules.ts'
import { isSideEffectFree } from '../bundle-shares.ts'
import { ENTRY, entryModules, type Start } from './entry.ts'
import type { Platform } from './platform.ts'
import { platformModules } from './platform-modules.ts'
import { absentGlobalDefines } from './absent-globals.ts'
import { refuse } from './refuse.ts'

export interface SmallBundleOptions {
  entry: string
  programs: Readonly<Record<string, string>>
  outfile: string
  minify: boolean
  conditions: readonly string[]
  define: Readonly<Record<string, string>>
  snapshot: boolean
}

export interface SmallBundle {
  /** One ES module. */
  text: string
  /** Its source map. Sources are relative to the folder of `outfile`. */
  map: string
  metafile: Esbuild.Metafile
  warnings: readonly Esbuild.Message[]
}

/** What QuickJS knows; esbuild translates the rest. */
const TARGET = 'es2023'

/** Bundles the platform and the programs. Throws esbuild's error, or a `BuildError` for what the runtime lacks. */
export async function bundleSmall(
  esbuild: typeof Esbuild,
  platform: Platform,
  options: SmallBundleOptions,
): Promise<SmallBundle> {
  const { entry, programs, snapshot } = options
  const files = new Map(Object.entries(programs).map(([name, file]) => [name, resolve(file)]))
  const start: Start = { entry: resolve(entry), programs: files, snapshot, evaluated: [], absent: [] }
  const context = await esbuild.context(settings(platform, options, start))
  try {
    const first = await context.rebuild()
    start.absent = leftToRunTime(first.metafile)
    start.evaluated = snapshot ? lazyModules(first.metafile, folderOf(options)) : []
    const isFinal = start.absent.length === 0 && start.evaluated.length === 0
    const { outputFiles = [], metafile, warnings } = isFinal ? first : await context.rebuild()
    const [map = '', text = ''] = ['.map', '.js'].map((end) => outputFiles.find(({ path }) => path.endsWith(end))?.text)
    const bundle = { text, map: named(map, options.outfile), metafile, warnings }
    refuse(bundle, platform, folderOf(options))
    return bundle
  } finally {
    await context.dispose()
  }
}

/** The name of the module in stack traces. */
export const moduleName = (outfile: string): string => `${outfile.slice(outfile.lastIndexOf('/') + 1)}.js`

// internal

const folderOf = ({ entry }: Pick<SmallBundleOptions, 'entry'>): string => dirname(resolve(entry))

function settings(platform: Platform, options: SmallBundleOptions, start: Start) {
  const { outfile, minify, conditions, define } = options
  return {
    entryPoints: [ENTRY],
    absWorkingDir: folderOf(options),
    outfile: `${resolve(outfile)}.js`,
    bundle: true,
    write: false,
    metafile: true,
    sourcemap: 'external',
    sourcesContent: false,
    platform: 'neutral',
    mainFields: ['main', 'module'],
    conditions: ['node', ...conditions],
    format: 'esm',
    target: TARGET,
    // Left as they are: the compiler refuses those that QuickJS does not know.
    supported: { 'regexp-set-notation': true, 'import-meta': false },
    minifyWhitespace: minify,
    minifySyntax: minify,
    keepNames: true,
    legalComments: 'none',
    logLevel: 'silent',
    define: {
      ...absentGlobalDefines,
      'process.versions.bun': 'undefined',
      'process.versions.cni': JSON.stringify(platform.version),
      'process.platform': '"linux"',
      ...define,
    },
    plugins: [entryModules(platform, start), platformModules(platform), absent(() => start.absent)],
  } as const satisfies Esbuild.BuildOptions
}

/**
 * Modules behind an `import()`. They are evaluated with the others, so that no start pays for it, if their package says
 * that nothing happens when they are evaluated.
 */
function lazyModules({ inputs, outputs }: Esbuild.Metafile, folder: string): string[] {
  const output = Object.values(outputs).find(({ entryPoint }) => entryPoint !== undefined)
  const lazy = Object.values(inputs).flatMap(({ imports }) =>
    imports.filter(({ kind, external }) => kind === 'dynamic-import' && !external).map(({ path }) => path),
  )
  return [...new Set(lazy)]
    .filter((path) => output?.inputs[path] !== undefined)
    .map((path) => resolve(folder, path))
    .filter(isSideEffectFree)
    .sort()
}

function named(map: string, outfile: string): string {
  const { sources, ...rest }: { sources: string[] } = JSON.parse(map)
  return JSON.stringify({ version: 3, file: moduleName(outfile), sources, ...rest })
}
