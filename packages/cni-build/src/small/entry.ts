import type * as Esbuild from 'esbuild'
import type { Platform } from './platform.ts'

/** The module that every executable starts with. */
export const ENTRY = 'cni-build:entry'

/** Parts of the entry module. They may change between two runs of esbuild. Files are absolute. */
export interface Start {
  readonly entry: string
  /** Evaluate the modules when the executable is built; otherwise at each start. */
  readonly snapshot: boolean
  /** Modules that nothing but an `import()` leads to, to be evaluated with the others. */
  evaluated: readonly string[]
  /** Modules that define globals which a program names. */
  globals: readonly string[]
  /** Node modules that a program asks `process.getBuiltinModule` for. */
  builtins: readonly string[]
  /** Packages that count as not installed. */
  absent: readonly string[]
}

/**
 * Where esbuild takes the entry module. A program that is evaluated at build time lies behind the module, in its scope;
 * one that is evaluated at each start is imported by the module.
 */
export function placeOf({ entry, snapshot }: Start): { entryPoints: string[]; inject?: string[] } {
  return snapshot ? { entryPoints: [entry], inject: [ENTRY] } : { entryPoints: [ENTRY] }
}

/** Makes the entry module. */
export function entryModules(platform: Platform, start: Start): Esbuild.Plugin {
  return {
    name: 'entry',
    setup(build) {
      build.onResolve({ filter: /^cni-build:entry$/ }, () => ({ path: 'entry', namespace: 'cni-build' }))
      build.onLoad({ filter: /^/, namespace: 'cni-build' }, () => ({
        contents: entryText(platform, start),
        resolveDir: platform.folder,
      }))
    },
  }
}

// internal

function entryText(platform: Platform, start: Start): string {
  const v8 = platform.fileOf('v8') ?? 'node:v8'
  const first = [
    `import { registerBuiltins } from ${text(platform.first)}`,
    ...start.globals.map((file) => `import ${text(file)}`),
    `import { startupSnapshot } from ${text(v8)}`,
  ]
  return [...first, ...builtinModules(platform, start), ...(start.snapshot ? atBuild(start) : atEachStart(start))].join(
    '\n',
  )
}

function builtinModules(platform: Platform, { builtins }: Start): string[] {
  if (builtins.length === 0) return []
  const imports = builtins.map((name, index) => `import builtin${index} from ${text(platform.fileOf(name) ?? name)}`)
  const table = builtins.map((name, index) => `${text(name)}: builtin${index}`)
  return [...imports, `registerBuiltins({ ${table.join(', ')} })`]
}

/** Evaluates modules behind an `import()` while the executable is built. */
function atBuild({ evaluated }: Start): string[] {
  const imports = evaluated.map((file) => `await import(${text(file)})`)
  return imports.length === 0 ? [] : [`startupSnapshot.addSerializeCallback(async () => { ${imports.join('; ')} })`]
}

/** Registers the evaluation of the program. */
const atEachStart = ({ entry }: Start): string[] => [
  `startupSnapshot.setDeserializeMainFunction(() => import(${text(entry)}))`,
]

const text = (value: string): string => JSON.stringify(value)
