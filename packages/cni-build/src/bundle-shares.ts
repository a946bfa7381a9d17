import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Number of bytes that one npm package contributes to a bundle. */
export interface BundleShare {
  /** Name of the package, from its `package.json`. */
  package: string
  bytes: number
}

/** Adds up the sizes of a bundle's source files by npm package. The largest package comes first. */
export function shares(inputs: ReadonlyArray<{ path: string; bytes: number }>): readonly BundleShare[] {
  const names = new Map<string, string>()
  const sums = new Map<string, number>()
  for (const { path, bytes } of inputs) {
    const name = packageOf(dirname(resolve(path)), names)
    sums.set(name, (sums.get(name) ?? 0) + bytes)
  }
  return [...sums]
    .map(([name, bytes]) => ({ package: name, bytes }))
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => b.bytes - a.bytes)
}

/** True if the package that contains the file declares in its `package.json` that its modules have no side effects. */
export function isSideEffectFree(file: string): boolean {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json')
    if (existsSync(manifest)) return JSON.parse(readFileSync(manifest, 'utf8')).sideEffects === false
    if (dirname(folder) === folder) return false
  }
}

// internal

function packageOf(folder: string, names: Map<string, string>): string {
  const known = names.get(folder)
  if (known !== undefined) return known
  const name = nameIn(folder) ?? (dirname(folder) === folder ? '(no package)' : packageOf(dirname(folder), names))
  names.set(folder, name)
  return name
}

// A package.json without a name only marks a subfolder of a package.
function nameIn(folder: string): string | undefined {
  const manifest = join(folder, 'package.json')
  if (!existsSync(manifest)) return undefined
  const { name }: { name?: unknown } = JSON.parse(readFileSync(manifest, 'utf8'))
  return typeof name === 'string' ? name : undefined
}
