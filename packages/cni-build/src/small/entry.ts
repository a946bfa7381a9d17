import type * as Esbuild from 'esbuild'
import type { Platform } from './platform.ts'

/** Name of the generated module that every executable with the small runtime evaluates first. */
export const ENTRY = 'cni-build:entry'

/** Input for the entry module that the build generates. */
export interface Start {
  readonly entry: string
  /** True to evaluate the program's modules at build time, false to evaluate them at each start. */
  readonly snapshot: boolean
  /** Modules that the program loads only by `import()`, but that the build evaluates too. */
  evaluated: readonly string[]
  /** Modules of the small runtime that define the globals which the program uses. */
  globals: readonly string[]
  /** Node modules that the program loads by `process.getBuiltinModule`. */
  builtins: readonly string[]
  /** Packages that the program may import but that the executable treats as not installed. */
  absent: readonly string[]
}

/** esbuild's options that run the generated entry module before the program. */
export function entryOptions({ entry, snapshot }: Start): { entryPoints: string[]; inject?: string[] } {
  return snapshot ? { entryPoints: [entry], inject: [ENTRY] } : { entryPoints: [ENTRY] }
}

/** esbuild plugin that generates the entry module of an executable. */
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

/** Generates code that evaluates, at build time, modules that the program loads by `import()`. */
function atBuild({ evaluated }: Start): string[] {
  const imports = evaluated.map((file) => `await import(${text(file)})`)
  return imports.length === 0 ? [] : [`startupSnapshot.addSerializeCallback(async () => { ${imports.join('; ')} })`]
}

/** Generates code that makes the executable evaluate the program at each start. */
const atEachStart = ({ entry }: Start): string[] => [
  `startupSnapshot.setDeserializeMainFunction(() => import(${text(entry)}))`,
]

const text = (value: string): string => JSON.stringify(value)
