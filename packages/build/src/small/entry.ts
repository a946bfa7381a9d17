import type * as Esbuild from 'esbuild'
import type { Platform } from './platform.ts'

/** The module that every executable starts with. */
export const ENTRY = 'cni-build:entry'

/** Parts of the entry module. They may change between two runs of esbuild. Files are absolute. */
export interface Start {
  readonly entry: string
  /** More programs, by the names that the file has for them. */
  readonly programs: ReadonlyMap<string, string>
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
 * How esbuild takes the entry module. One program that is evaluated at build time is the entry itself, behind the module:
 * then all of it is in one scope. The other cases import their programs.
 */
export function placeOf({ entry, programs, snapshot }: Start): { entryPoints: string[]; inject?: string[] } {
  return snapshot && programs.size === 0 ? { entryPoints: [entry], inject: [ENTRY] } : { entryPoints: [ENTRY] }
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

/** Evaluates the programs while the executable is built: each registers what its start runs. */
function atBuild({ entry, programs, evaluated }: Start): string[] {
  const lazy = evaluated.map((file) => `await import(${text(file)})`)
  const ahead = lazy.length === 0 ? [] : [`startupSnapshot.addSerializeCallback(async () => { ${lazy.join('; ')} })`]
  if (programs.size === 0) return ahead
  const files = [...programs.values(), entry]
  return [
    // Each program registers its own function: this one takes them all.
    'const { setDeserializeMainFunction } = startupSnapshot',
    'let registered = () => {}',
    'startupSnapshot.setDeserializeMainFunction = (main, data) => { registered = () => main(data) }',
    ...files.flatMap((file, index) => [`await import(${text(file)})`, `const main${index} = registered`]),
    'Object.assign(startupSnapshot, { setDeserializeMainFunction })',
    ...called(
      [...programs.keys()].map((name, index) => [name, `main${index}`]),
      `main${programs.size}`,
    ),
    ...ahead,
  ]
}

/** Registers the evaluation of the programs. */
function atEachStart({ entry, programs }: Start): string[] {
  const evaluation = (file: string) => `() => import(${text(file)})`
  return called(
    [...programs].map(([name, file]) => [name, evaluation(file)]),
    evaluation(entry),
  )
}

/** Registers a function that runs the program whose name the file is called by, `main` by any other name. */
function called(mains: ReadonlyArray<readonly [name: string, main: string]>, main: string): string[] {
  if (mains.length === 0) return [`startupSnapshot.setDeserializeMainFunction(${main})`]
  return [
    `const programs = new Map([${mains.map(([name, one]) => `[${text(name)}, ${one}]`).join(', ')}])`,
    `const main = ${main}`,
    "const name = () => process.argv0.slice(process.argv0.lastIndexOf('/') + 1)",
    'startupSnapshot.setDeserializeMainFunction(() => (programs.get(name()) ?? main)())',
  ]
}

const text = (value: string): string => JSON.stringify(value)
