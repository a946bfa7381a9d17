import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { BuildError } from '../errors.ts'

/** An installed npm package. */
export interface InstalledPackage {
  name: string
  version: string
  folder: string
  /** Resolves and loads what this package itself can. */
  require: NodeJS.Require
}

/**
 * A package of the build's tools: beside this one, as a dependency of the `@cni/build` in the project of the working
 * directory, or in that project. The last two are all that a compiled `cni-build` has.
 */
export function findPackage(name: string): InstalledPackage | undefined {
  for (const from of places()) {
    try {
      return open(name, from)
    } catch {
      // Not from there: the next place, and in the end the caller's error, which names the remedy.
    }
  }
  return undefined
}

/**
 * Like {@link findPackage}, for one without which nothing can be built.
 *
 * @param wanted what npm is to install, and the only version that will do; default: any
 * @throws BuildError `NO_COMPILER` with the command that installs it.
 */
export function needPackage(name: string, wanted: { install?: string; version?: string } = {}): InstalledPackage {
  const found = findPackage(name)
  const remedy = `npm install --save-dev ${wanted.install ?? name}`
  if (found === undefined) throw new BuildError('NO_COMPILER', `${name} is not installed: ${remedy}`)
  if (wanted.version === undefined || found.version === wanted.version) return found
  throw new BuildError(
    'NO_COMPILER',
    `${name} is ${found.version}, but the compiler is ${wanted.version} and both must be the same: ${remedy}`,
  )
}

function* places(): Generator<NodeJS.Require> {
  // Undefined in a compiled file, where nothing lies beside this module.
  const here: string | undefined = import.meta.url
  if (here !== undefined) yield createRequire(here)
  const project = createRequire(join(process.cwd(), 'package.json'))
  try {
    yield createRequire(project.resolve('@cni/build/package.json'))
  } catch {
    // Not installed in this project.
  }
  yield project
}

function open(name: string, from: NodeJS.Require): InstalledPackage {
  const manifest = from.resolve(`${name}/package.json`)
  const { version }: { version: string } = JSON.parse(readFileSync(manifest, 'utf8'))
  return { name, version, folder: dirname(manifest), require: createRequire(manifest) }
}
