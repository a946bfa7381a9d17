import { join } from 'node:path'
import { BuildError } from '../errors.ts'
import { findPackage, needPackage } from './find-package.ts'
import { bunPackage, hostTarget, notRunnable, type Runtime, type Target } from './target.ts'
import { findSmallTools } from './tools-small.ts'

/** The bun to install where there is none: the version of `optionalDependencies`. */
export const BUN_VERSION = '1.4.5'

/** Advice for macOS and Windows. */
const CONTAINER =
  'run cni-build in a container, for example docker run --rm -v "$PWD:/src" -w /src node:24 npx cni-build …'

/** What an executable is made with. */
export interface Tools {
  runtime: Runtime
  target: Target
  version: string
  /** The program that compiles; it runs here. */
  compiler: string
  /** The runtime that goes into the executable; the compiler itself, unless the target is another machine. */
  base: string
  /** The small runtime with TLS, for programs that use `node:https` or `node:tls`. */
  tlsBase?: string
  /** The program that starts programs of the target on this machine; absent where it runs them itself. */
  emulator?: string
}

/**
 * The compiler and the runtime for a target, from the npm packages that hold them: nothing is downloaded.
 *
 * @throws BuildError `NO_COMPILER` with the command that installs what is missing.
 */
export function findTools(runtime: Runtime = 'small', target: Target = ownTarget()): Tools {
  if (runtime === 'small') return { runtime, ...findSmallTools(target, ownTarget()) }
  const isOwn = notRunnable(target, runtime) === undefined
  const compilerPackage = isOwn ? bunPackage(target) : hostPackage()
  const { version, folder } = needPackage(compilerPackage, { install: `${compilerPackage}@${BUN_VERSION}` })
  const compiler = programIn(folder)
  if (isOwn) return { runtime, target, version, compiler, base: compiler }
  // npm refuses a package that is for another machine unless it is forced to.
  const name = bunPackage(target)
  const base = needPackage(name, { version, install: `${name}@${version} --force` })
  return { runtime, target, version, compiler, base: programIn(base.folder) }
}

function ownTarget(): Target {
  const host = hostTarget()
  if (host !== undefined) return host
  throw new BuildError(
    'NO_COMPILER',
    `executables are compiled on Linux, x64 or arm64, and this is ${process.platform} on ${process.arch}: ${CONTAINER}`,
  )
}

// Any bun of this machine compiles for every other: the one that is there.
function hostPackage(): string {
  const host = ownTarget()
  const names = [host, withoutBaseline(host)].map(bunPackage)
  return names.find((name) => findPackage(name) !== undefined) ?? bunPackage(host)
}

const withoutBaseline = (target: Target): Target =>
  target === 'linux-x64-baseline' ? 'linux-x64' : target === 'linux-x64-baseline-musl' ? 'linux-x64-musl' : target

// The program and not the package `bun`: with install scripts blocked, that one refuses to run.
const programIn = (folder: string): string => join(folder, 'bin/bun')
