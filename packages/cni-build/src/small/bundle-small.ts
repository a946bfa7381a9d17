import { dirname, resolve } from 'node:path'
import type * as Esbuild from 'esbuild'
import { absent, externalPackages } from '../absent-modules.ts'
import { isSideEffectFree } from '../bundle-shares.ts'
import { absentGlobalDefines } from './absent-globals.ts'
import { entryModules, entryOptions, type Start } from './entry.ts'
import type { Platform } from './platform.ts'
import { platformModules } from './platform-modules.ts'
import { refuse } from './refuse.ts'
import type { SmallBundle } from './small-bundle.ts'

export interface SmallBundleOptions {
  entry: string
  outfile: string
  minify: boolean
  conditions: readonly string[]
  define: Readonly<Record<string, string>>
  snapshot: boolean
}

/** Newest syntax that QuickJS parses. esbuild translates newer syntax. */
const TARGET = 'es2023'

/** Bundles the program with the JavaScript modules of the small runtime. */
export async function bundleSmall(
  esbuild: typeof Esbuild,
  platform: Platform,
  options: SmallBundleOptions,
): Promise<SmallBundle> {
  const { entry, snapshot } = options
  const start: Start = { entry: resolve(entry), snapshot, ...NOTHING }
  const context = await esbuild.context(settings(platform, options, start))
  try {
    const first = await context.rebuild()
    Object.assign(start, {
      absent: externalPackages(first.metafile),
      evaluated: snapshot ? lazyModules(first.metafile, folderOf(options)) : [],
      ...usedIn(textOf(first), platform),
    } satisfies typeof NOTHING)
    const isFinal = Object.values(start).every((list) => !Array.isArray(list) || list.length === 0)
    const last = isFinal ? first : await context.rebuild()
    const { metafile } = last
    const used = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs))
    const warnings = last.warnings.filter(({ location }) => location === null || used.includes(location.file))
    const bundle = { text: textOf(last), map: withFileName(textOf(last, '.map'), options.outfile), metafile, warnings }
    refuse(bundle, platform, folderOf(options))
    return bundle
  } finally {
    await context.dispose()
  }
}

/** File name by which the executable's stack traces refer to the bundle. */
export const moduleName = (outfile: string): string => `${outfile.slice(outfile.lastIndexOf('/') + 1)}.js`

// internal

/** Empty input for esbuild's first run, which finds the input of the second run. */
const NOTHING: Pick<Start, 'absent' | 'builtins' | 'evaluated' | 'globals'> = {
  absent: [],
  builtins: [],
  evaluated: [],
  globals: [],
}

const textOf = ({ outputFiles = [] }: Esbuild.BuildResult, end = '.js'): string =>
  outputFiles.find(({ path }) => path.endsWith(end))?.text ?? ''

/** Finds the globals and Node modules that the text of a bundle uses by name. */
function usedIn(text: string, platform: Platform): Pick<Start, 'builtins' | 'globals'> {
  // Always includes the global `Iterator`, because programs call iterator methods such as `map` without naming
  // `Iterator`.
  const used = new Set(['Iterator', ...Array.from(text.matchAll(/\bglobal(?:This)?\.(\w+)/g), ([, name]) => name)])
  const globals = [...platform.globals].filter(([name]) => used.has(name)).map(([, file]) => file)
  const asked = Array.from(text.matchAll(/\bgetBuiltinModule\("(?:node:)?([\w/]+)"\)/g), ([, name]) => `node:${name}`)
  const builtins = asked.filter((name) => platform.fileOf(name) !== undefined)
  return { globals: [...new Set(globals)].sort(), builtins: [...new Set(builtins)].sort() }
}

const folderOf = ({ entry }: Pick<SmallBundleOptions, 'entry'>): string => dirname(resolve(entry))

function settings(platform: Platform, options: SmallBundleOptions, start: Start) {
  const { outfile, minify, conditions, define } = options
  return {
    ...entryOptions(start),
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
    // Keeps regular expressions with the flag `v`. The bytecode compiler reports unsupported expressions.
    supported: { 'regexp-set-notation': true, 'import-meta': false },
    minifyWhitespace: minify,
    minifySyntax: minify,
    // Shortens identifiers. The option `keepNames` keeps function names, which a program may print.
    minifyIdentifiers: minify,
    keepNames: true,
    legalComments: 'none',
    logLevel: 'silent',
    define: {
      ...absentGlobalDefines,
      // Rewrites globals, to distinguish them from local names in the bundle's text.
      ...Object.fromEntries(Array.from(platform.globals.keys(), (name) => [name, `globalThis.${name}`])),
      'process.versions.bun': 'undefined',
      'process.versions.cni': JSON.stringify(platform.version),
      'process.platform': '"linux"',
      ...define,
    },
    plugins: [entryModules(platform, start), platformModules(platform), absent(() => start.absent)],
  } as const satisfies Esbuild.BuildOptions
}

/** Modules loaded by `import()` that the build may evaluate, because they declare no side effects. */
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

function withFileName(map: string, outfile: string): string {
  return JSON.stringify({ file: moduleName(outfile), ...JSON.parse(map) })
}
