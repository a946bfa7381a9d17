import { join } from 'node:path'
import { BuildError } from './errors.ts'
import { findPackage, type InstalledPackage, needPackage } from './find-package.ts'
import { findSmallTools } from './small/tools-small.ts'
import { hostTarget, type LargeRuntime, notRunnable, type Runtime, runtimePackage, type Target } from './target.ts'

/** What to install where there is none: bun in the version of `optionalDependencies`. */
export const COMPILER_VERSIONS: Readonly<Record<LargeRuntime, string>> = { bun: '1.4.5', node: '26' }

/** Advice for macOS and Windows. */
const CONTAINER =
  'run cni-build in a container, for example docker run --rm -v "$PWD:/src" -w /src node:24 npx cni-build …'

/** The first major version that has `--build-sea` in every release. */
const OLDEST_NODE = 26

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
  const name = runtimePackage(runtime, target)
  if (notRunnable(target, runtime) === undefined) {
    const { version, folder } = needCompiler(runtime, name)
    const compiler = programIn(runtime, folder)
    return { runtime, target, version, compiler, base: compiler }
  }
  const host = needCompiler(runtime, hostPackage(runtime))
  const { version } = host
  // npm refuses a package that is for another machine unless it is forced to.
  const { folder } = needPackage(name, { version, install: `${name}@${version} --force` })
  return { runtime, target, version, compiler: programIn(runtime, host.folder), base: programIn(runtime, folder) }
}

function needCompiler(runtime: LargeRuntime, name: string): InstalledPackage {
  const install = `${name}@${COMPILER_VERSIONS[runtime]}`
  const found = needPackage(name, { install })
  if (runtime === 'bun' || Number.parseInt(found.version, 10) >= OLDEST_NODE) return found
  const why = `${name} is ${found.version}, and only Node ${OLDEST_NODE} and later makes executables`
  throw new BuildError('NO_COMPILER', `${why}: npm install --save-dev ${install}`)
}

function ownTarget(): Target {
  const host = hostTarget()
  if (host !== undefined) return host
  throw new BuildError(
    'NO_COMPILER',
    `executables are compiled on Linux, x64 or arm64, and this is ${process.platform} on ${process.arch}: ${CONTAINER}`,
  )
}

// Any runtime of this machine compiles for every other: the one that is there.
function hostPackage(runtime: LargeRuntime): string {
  const host = ownTarget()
  const names = [host, withoutBaseline(host)].map((target) => runtimePackage(runtime, target))
  return names.find((name) => findPackage(name) !== undefined) ?? runtimePackage(runtime, host)
}

const withoutBaseline = (target: Target): Target =>
  target === 'linux-x64-baseline' ? 'linux-x64' : target === 'linux-x64-baseline-musl' ? 'linux-x64-musl' : target

// The program and not the package `bun`: with install scripts blocked, that one refuses to run.
const programIn = (runtime: LargeRuntime, folder: string): string => join(folder, 'bin', runtime)
