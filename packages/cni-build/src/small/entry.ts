import type * as Esbuild from 'esbuild'
import type { Platform } from './platform.ts'

/** Name of the first module of every executable. */
export const ENTRY = 'cni-build:entry'

/** Input of the entry module. The input may change between two runs of esbuild. File paths are absolute. */
export interface Start {
  readonly entry: string
  /** True to evaluate the modules at build time, false at each start. */
  readonly snapshot: boolean
  /** Modules that only an `import()` loads and that the build evaluates, too. */
  evaluated: readonly string[]
  /** Modules that define the globals that a program names. */
  globals: readonly string[]
  /** Node modules that a program loads by `process.getBuiltinModule`. */
  builtins: readonly string[]
  /** Packages that count as not installed. */
  absent: readonly string[]
}

/**
 * esbuild's options for the entry module. For a snapshot, esbuild injects the entry module before the program, in one
 * scope. Otherwise the entry module imports the program at each start.
 */
export function placeOf({ entry, snapshot }: Start): { entryPoints: string[]; inject?: string[] } {
  return snapshot ? { entryPoints: [entry], inject: [ENTRY] } : { entryPoints: [ENTRY] }
}

/** Generates the entry module. */
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

/** Code that evaluates modules behind an `import()` at build time. */
function atBuild({ evaluated }: Start): string[] {
  const imports = evaluated.map((file) => `await import(${text(file)})`)
  return imports.length === 0 ? [] : [`startupSnapshot.addSerializeCallback(async () => { ${imports.join('; ')} })`]
}

/** Code that registers the program for evaluation at each start. */
const atEachStart = ({ entry }: Start): string[] => [
  `startupSnapshot.setDeserializeMainFunction(() => import(${text(entry)}))`,
]

const text = (value: string): string => JSON.stringify(value)
