import { join } from 'node:path'
import { BuildError } from '../errors.ts'
import { findPackage, needPackage } from './find-package.ts'
import { bunPackage, hostTarget, notRunnable, type Runtime, type Target } from './target.ts'
import { findSmallTools } from './tools-small.ts'

/** Version of bun that npm installs by default. It equals the version in `optionalDependencies`. */
export const BUN_VERSION = '1.4.5'

/** Advice for users of macOS and Windows, where `cni-build` cannot compile executables. */
const CONTAINER =
  'run cni-build in a container, for example docker run --rm -v "$PWD:/src" -w /src node:24 npx cni-build …'

/** Compiler and runtime from which an executable is made. */
export interface Tools {
  runtime: Runtime
  target: Target
  version: string
  /** Path of the compiler, which is a program for the build machine. */
  compiler: string
  /** Path of the runtime program that goes into the executable. */
  base: string
  /** Path of the small runtime with TLS, for programs that use `node:https` or `node:tls`. */
  tlsBase?: string
  /**
   * Path of an emulator that runs the target's executables on this machine. Absent if this machine runs them itself.
   */
  emulator?: string
}

/**
 * Finds the installed compiler and runtime for a target.
 *
 * @throws BuildError `NO_COMPILER` with the command that installs the missing package
 */
export function findTools(runtime: Runtime = 'small', target: Target = ownTarget()): Tools {
  if (runtime === 'small') return { runtime, ...findSmallTools(target, ownTarget()) }
  const isOwn = notRunnable(target, runtime) === undefined
  const compilerPackage = isOwn ? bunPackage(target) : hostPackage()
  const { version, folder } = needPackage(compilerPackage, { install: `${compilerPackage}@${BUN_VERSION}` })
  const compiler = programIn(folder)
  if (isOwn) return { runtime, target, version, compiler, base: compiler }
  // Adds `--force` to the advice for a missing package. The flag lets npm install bun's package for another machine.
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

// Name of the installed npm package whose bun runs on this machine.
function hostPackage(): string {
  const host = ownTarget()
  const names = [host, withoutBaseline(host)].map(bunPackage)
  return names.find((name) => findPackage(name) !== undefined) ?? bunPackage(host)
}

const withoutBaseline = (target: Target): Target =>
  target === 'linux-x64-baseline' ? 'linux-x64' : target === 'linux-x64-baseline-musl' ? 'linux-x64-musl' : target

// Path of bun in its npm package. The command `bun` fails without install scripts.
const programIn = (folder: string): string => join(folder, 'bin/bun')
