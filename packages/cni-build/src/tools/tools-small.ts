import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findExecutable } from '@cni/host'
import { BuildError } from '../errors.ts'
import { checkProgram } from './check-program.ts'
import { needPackage } from './find-package.ts'
import { partsOf, smallTarget, type Target } from './target.ts'

/** Native programs from which executables with the small runtime are made: compiler and runtimes. */
export interface SmallTools {
  target: Target
  version: string
  compiler: string
  base: string
  /** Path of the native runtime with TLS, for programs that use `node:https` or `node:tls`. */
  tlsBase: string
  emulator?: string
}

/** Text from packages/runtime/src/tls/child.ts. A bundle that contains this text uses TLS. */
const NEEDS_TLS = 'TLS needs cni-runtime-tls'

/** Path of the native runtime that a bundle needs. The runtime without TLS is smaller. */
export const baseFor = (text: string, { base, tlsBase = base }: { base: string; tlsBase?: string }): string =>
  text.includes(NEEDS_TLS) ? tlsBase : base

/**
 * Finds the compiler of this machine and the runtime of the target in their packages.
 *
 * @throws BuildError `NO_COMPILER` with the command that installs the missing package
 */
export function findSmallTools(target: Target, host: Target): SmallTools {
  const { version } = needPackage('@cni/runtime')
  const programs = { host: nativeFolder(host, version), target: nativeFolder(target, version) }
  const tools = {
    target: smallTarget(target),
    version,
    compiler: program(programs.host, 'cni-compile', host),
    base: program(programs.target, 'cni-runtime', target),
    tlsBase: program(programs.target, 'cni-runtime-tls', target),
  }
  if (partsOf(target).arch === partsOf(host).arch) return tools
  return { ...tools, emulator: findEmulator(smallTarget(target)) }
}

// internal

/** Finds the native programs through `@cni/runtime`, because some package managers do not hoist packages. */
function nativeFolder(target: Target, version: string): string {
  const name = `@cni/runtime-${smallTarget(target)}`
  const runtime = needPackage('@cni/runtime')
  const manifest = resolved(() => runtime.require.resolve(`${name}/package.json`))
  if (manifest === undefined) return needPackage(name, { version, install: `${name}@${version}` }).folder
  const { version: found }: { version: string } = JSON.parse(readFileSync(manifest, 'utf8'))
  if (found === version) return dirname(manifest)
  throw new BuildError(
    'NO_COMPILER',
    `${name} is ${found}, but @cni/runtime is ${version} and both must be the same: npm install --save-dev ${name}@${version}`,
  )
}

function program(folder: string, name: string, target: Target): string {
  const file = join(folder, 'bin', name)
  if (!existsSync(file)) {
    throw new BuildError('NO_COMPILER', `${file} is missing: install @cni/runtime-${smallTarget(target)} again`)
  }
  checkProgram(file, partsOf(target).arch)
  return file
}

function findEmulator(target: Target): string {
  const machine = partsOf(target).arch === 'arm64' ? 'aarch64' : 'x86_64'
  const found = findExecutable(`qemu-${machine}-static`) ?? findExecutable(`qemu-${machine}`)
  if (found !== undefined) return found
  throw new BuildError(
    'NO_COMPILER',
    `an executable for ${target} is made by its own runtime, and qemu-${machine} is not installed: install qemu-user-static, or build on ${target}`,
  )
}

function resolved(resolve: () => string): string | undefined {
  try {
    return resolve()
  } catch {
    // Returns `undefined`, because the package is not a dependency of `@cni/runtime`. The caller then looks in the
    // project.
    return undefined
  }
}
