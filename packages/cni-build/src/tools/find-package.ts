import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { BuildError } from '../errors.ts'

/** An npm package that is installed on this machine. */
export interface InstalledPackage {
  name: string
  version: string
  folder: string
  /** `require` function that resolves and loads modules from the package's folder. */
  require: NodeJS.Require
}

/** Finds an installed package that contains a build tool, beside `@cni/build` or in the project. */
export function findPackage(name: string): InstalledPackage | undefined {
  for (const from of searchFolders()) {
    try {
      return open(name, from)
    } catch {
      // The package is not installed in this folder.
    }
  }
  return undefined
}

/**
 * Finds a package like {@link findPackage}, but throws if it is missing or unsuitable.
 *
 * @param wanted - the package that npm has to install, and the only valid version; default: any version
 * @throws BuildError `NO_COMPILER` with the command that installs the package
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

function* searchFolders(): Generator<NodeJS.Require> {
  // Looks beside the running `@cni/build`. A compiled `cni-build` has no `import.meta.url`.
  const here: string | undefined = import.meta.url
  if (here !== undefined) yield createRequire(here)
  const project = createRequire(join(process.cwd(), 'package.json'))
  try {
    yield createRequire(project.resolve('@cni/build/package.json'))
  } catch {
    // Skips this folder, because `@cni/build` is not a dependency of the project.
  }
  yield project
}

function open(name: string, from: NodeJS.Require): InstalledPackage {
  const manifest = from.resolve(`${name}/package.json`)
  const { version }: { version: string } = JSON.parse(readFileSync(manifest, 'utf8'))
  return { name, version, folder: dirname(manifest), require: createRequire(manifest) }
}
