import { readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import type * as Esbuild from 'esbuild'
import { BuildError } from '../errors.ts'
import { findAbsentGlobals } from './absent-globals.ts'
import type { Platform } from './platform.ts'
import { LACKING } from './platform-modules.ts'
import type { SmallBundle } from './small-bundle.ts'
import { positionText, type SourcePosition, type SourcePositions, sourcePositions } from './source-positions.ts'

/** Methods with results that depend on a locale. QuickJS has no locales, so its results would differ from Node's. */
const LOCALE_METHOD = /\.(toLocale(?:String|DateString|TimeString|UpperCase|LowerCase)|localeCompare)(?![\w$])/g

/**
 * Rejects a program that uses a module, member or global that the small runtime lacks.
 *
 * @throws BuildError `BUNDLE` with the name and the position of each use
 */
export function refuse({ text, map, metafile, warnings }: SmallBundle, platform: Platform, folder: string): void {
  const positions = sourcePositions(
    map,
    dirname(Object.keys(metafile.outputs).map((path) => resolve(folder, path))[0] ?? ''),
  )
  const faults = [
    ...modules(metafile, folder),
    ...members(warnings, folder),
    ...globals(text, positions),
    ...localeMethods(text, positions, relative('', platform.folder)),
  ]
  if (faults.length === 0) return
  const list = [...new Set(faults)].join('\n')
  throw new BuildError(
    'BUNDLE',
    `the small runtime lacks what this program uses:\n${list}\nWrite it another way, or build with --runtime bun.`,
  )
}

// internal

function modules({ inputs, outputs }: Esbuild.Metafile, folder: string): string[] {
  const used = Object.values(outputs).flatMap((output) => Object.keys(output.inputs))
  return Object.entries(inputs)
    .filter(([path]) => used.includes(path))
    .flatMap(([path, { imports }]) =>
      imports
        .filter((each) => each.path.startsWith(`${LACKING}:`) && used.includes(each.path))
        .map((each) => each.path.slice(LACKING.length + 1))
        .map((name) => `  ${importer(resolve(folder, path), name)}: the module ${JSON.stringify(name)}`),
    )
}

/** File and line in which the program imports a Node module that the small runtime lacks. */
function importer(path: string, name: string): string {
  const file = relative('', path)
  const line = readFileSync(path, 'utf8')
    .split('\n')
    .findIndex((text) => text.includes(`'${name}'`) || text.includes(`"${name}"`))
  return line < 0 ? file : `${file}:${line + 1}`
}

/** Members of Node modules that the program imports but the small runtime lacks, from esbuild's warnings. */
function members(warnings: readonly Esbuild.Message[], folder: string): string[] {
  return warnings.flatMap(({ text, location }) => {
    const [, member, name] = LACKING_MEMBER.exec(text) ?? []
    if (name === undefined || location === null) return []
    const { file, line, column } = location
    return [
      `  ${positionOf({ file: relative('', resolve(folder, file)), line, column: column + 1 })}: ${member} of the module "node:${name}"`,
    ]
  })
}

/** Pattern for esbuild's warning about a missing export of a Node module. */
const LACKING_MEMBER =
  /^Import "(.+)" will always be undefined because there is no matching export in ".*\/runtime\/src\/node\/(.+?)(?:\/\2)?\.ts"/

function globals(text: string, positions: SourcePositions): string[] {
  const found = findAbsentGlobals(text).map((each) => ({ ...each, position: positions.atIndex(text, each.index) }))
  // Accepts a missing global in a source file that also tests whether the global exists.
  const guarded = new Set(
    found.filter(({ isGuard }) => isGuard).map(({ name, position }) => `${name} ${position?.file}`),
  )
  return found
    .filter(({ name, position }) => !guarded.has(`${name} ${position?.file}`))
    .map(({ name, position }) => `  ${positionOf(position)}: the global ${name}`)
}

function localeMethods(text: string, positions: SourcePositions, platform: string): string[] {
  return Array.from(text.matchAll(LOCALE_METHOD), ({ index, 1: name = '' }) => ({
    name,
    position: positions.atIndex(text, index + 1),
  }))
    .filter(({ position }) => position?.file.startsWith(`${platform}/`) !== true)
    .map(({ name, position }) => `  ${positionOf(position)}: ${name}(), whose result depends on a locale`)
}

const positionOf = (position: SourcePosition | undefined): string =>
  position === undefined ? 'the bundle' : positionText(position)
