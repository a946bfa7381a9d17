import { join } from 'node:path'
import { BuildError } from './errors.ts'
import { findPackage, needPackage } from './find-package.ts'
import { hostTarget, notRunnable, type Runtime, runtimePackage, type Target } from './target.ts'

/** What an executable is made with. */
export interface Tools {
  runtime: Runtime
  target: Target
  version: string
  /** The program that compiles; it runs here. */
  compiler: string
  /** The runtime that goes into the executable; the compiler itself, unless the target is another machine. */
  base: string
}

/**
 * The compiler and the runtime for a target, from the npm packages that hold them: nothing is downloaded.
 *
 * @throws BuildError `NO_COMPILER` with the command that installs what is missing.
 */
export function findTools(runtime: Runtime = 'bun', target: Target = ownTarget()): Tools {
  const name = runtimePackage(runtime, target)
  if (notRunnable(target) === undefined) {
    const { version, folder } = needPackage(name)
    const compiler = programIn(runtime, folder)
    return { runtime, target, version, compiler, base: compiler }
  }
  const host = needPackage(hostPackage(runtime))
  const { folder } = needPackage(name, host.version)
  const tools = { runtime, target, version: host.version }
  return { ...tools, compiler: programIn(runtime, host.folder), base: programIn(runtime, folder) }
}

function ownTarget(): Target {
  const host = hostTarget()
  if (host !== undefined) return host
  throw new BuildError(
    'NO_COMPILER',
    `executables are compiled on linux x64 or arm64, this is ${process.platform} on ${process.arch}`,
  )
}

// Any runtime of this machine compiles for every other: the one that is there.
function hostPackage(runtime: Runtime): string {
  const host = ownTarget()
  const names = [host, withoutBaseline(host)].map((target) => runtimePackage(runtime, target))
  return names.find((name) => findPackage(name) !== undefined) ?? runtimePackage(runtime, host)
}

const withoutBaseline = (target: Target): Target =>
  target === 'linux-x64-baseline' ? 'linux-x64' : target === 'linux-x64-baseline-musl' ? 'linux-x64-musl' : target

// The program and not the package `bun`: with install scripts blocked, that one refuses to run.
const programIn = (runtime: Runtime, folder: string): string => join(folder, 'bin', runtime)
