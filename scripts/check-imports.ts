/**
 * Checks the imports of all source files:
 * - A package imports other packages by name, as imports-map.ts allows.
 * - Folders of one package do not import each other in a circle.
 * - Files do not import the `index.ts` of their own package.
 *
 * Also limits the number of source files in one folder, and of test files.
 */
import { existsSync, globSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { root } from './lib/exec.ts'
import { folderDependencies } from './lib/folder-dependencies.ts'
import { allowed } from './lib/imports-map.ts'
import { importsOf, sources } from './lib/sources.ts'

/** Folders without an import check: dependencies, build output, and test programs with intended circular imports. */
const NOT_CHECKED = ['**/{node_modules,dist}/**', 'packages/cni-build/test/programs/**']

/** Maximum number of source files in one folder, and of files in one folder of tests. */
const MAX_LOOSE_FILES = 20

const problems: string[] = []
const packages = globSync('packages/*/package.json', { cwd: root }).map((path) => dirname(path))
for (const folder of packages) {
  checkPackage(folder)
  checkFolders(folder)
}
for (const folder of [...packages, ...globSync('examples/*', { cwd: root }), 'bench', 'scripts', 'test']) {
  checkCircles(folder)
}
checkSize(filesIn('{packages/*/,}test'))
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`)
  process.exitCode = 1
}

// internal

function checkPackage(folder: string): void {
  const name = folder.slice('packages/'.length)
  const mayImport = allowed[name]
  if (mayImport === undefined) {
    problems.push(`${folder}: scripts/lib/imports-map.ts does not say what it may import`)
    return
  }
  for (const file of sources(folder)) {
    for (const specifier of importsOf(file)) {
      if (specifier.startsWith('@cni-examples/')) problems.push(`${file}: a package never imports an example`)
      else if (specifier.startsWith('@cni/')) {
        if (!mayImport.some((pattern) => pattern.test(specifier))) problems.push(`${file}: may not import ${specifier}`)
      } else if (specifier.startsWith('.')) {
        const target = relative(root, resolve(root, dirname(file), specifier))
        if (!target.startsWith(`${folder}/`))
          problems.push(`${file}: ${specifier} leaves the package; import it by name`)
        else if (/\/index\.ts$/.test(target)) problems.push(`${file}: ${specifier}: import the file that defines it`)
      }
    }
  }
}

/** Limits the number of files in each folder. */
function checkSize(files: readonly string[]): void {
  const beside = new Map<string, number>()
  for (const file of files) beside.set(dirname(file), (beside.get(dirname(file)) ?? 0) + 1)
  for (const [path, count] of beside) {
    if (count > MAX_LOOSE_FILES) problems.push(`${path}: ${count} files beside each other; at most ${MAX_LOOSE_FILES}`)
  }
}

/** Checks the folders of a package for circular imports and for too many source files. */
function checkFolders(folder: string): void {
  checkSize(sources(folder))
  for (const level of folderDependencies(folder).values()) {
    for (const [from, targets] of level) {
      for (const [to, example] of targets) {
        if (leadsTo(level, to, from))
          problems.push(`${example}: ${to} leads back to ${from}; folders import downward only`)
      }
    }
  }
}

function leadsTo(level: ReadonlyMap<string, ReadonlyMap<string, string>>, start: string, end: string): boolean {
  const seen = new Set<string>()
  const open = [start]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === end) return true
    if (seen.has(next)) continue
    seen.add(next)
    open.push(...(level.get(next)?.keys() ?? []))
  }
  return false
}

function checkCircles(folder: string): void {
  const state = new Map<string, 'open' | 'done'>()
  const path: string[] = []
  const visit = (file: string): void => {
    if (state.get(file) === 'done') return
    if (state.get(file) === 'open') {
      problems.push(`a circle: ${[...path.slice(path.indexOf(file)), file].join(' → ')}`)
      return
    }
    state.set(file, 'open')
    path.push(file)
    for (const specifier of importsOf(file)) {
      if (!specifier.startsWith('.')) continue
      const target = relative(root, resolve(root, dirname(file), specifier))
      if (existsSync(join(root, target))) visit(target)
    }
    path.pop()
    state.set(file, 'done')
  }
  for (const file of filesIn(folder)) visit(file)
}

function filesIn(folder: string): string[] {
  return globSync(`${folder}/**/*.ts`, { cwd: root, exclude: NOT_CHECKED })
}
