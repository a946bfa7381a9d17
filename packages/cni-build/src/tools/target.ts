import { existsSync } from 'node:fs'

/**
 * The runtime that goes into the executable. `small` is for plugins: 3 MB, a millisecond to start, and nothing needed but
 * the kernel. `bun` has all of Node, for processes that stay.
 */
export type Runtime = 'small' | 'bun'

/** A machine an executable can be built for; `-baseline` runs on x86-64 without AVX2, `-musl` on Alpine and Talos. */
export type Target =
  | 'linux-x64-baseline'
  | 'linux-x64'
  | 'linux-arm64'
  | 'linux-x64-baseline-musl'
  | 'linux-x64-musl'
  | 'linux-arm64-musl'

/** Every {@link Target}. */
export const TARGETS = [
  'linux-x64-baseline',
  'linux-x64',
  'linux-arm64',
  'linux-x64-baseline-musl',
  'linux-x64-musl',
  'linux-arm64-musl',
] as const satisfies readonly Target[]

/** The npm package with the bun of a target. */
export function bunPackage(target: Target): string {
  const { arch, baseline, libc } = partsOf(target)
  const cpu = arch === 'arm64' ? 'aarch64' : 'x64'
  return `@oven/bun-linux-${cpu}${libc === 'musl' ? '-musl' : ''}${baseline ? '-baseline' : ''}`
}

/** The name that bun's own `--target` has for it. */
export function bunTarget(target: Target): string {
  const { arch, baseline, libc } = partsOf(target)
  return `bun-linux-${arch}${baseline ? '-baseline' : ''}${libc === 'musl' ? '-musl' : ''}`
}

/** The target of the small runtime that runs where another runs: it has no C library to choose, and needs no AVX2. */
export const smallTarget = (target: Target): Target => `linux-${partsOf(target).arch}`

/** The target of the machine this runs on; undefined where nothing can be compiled. */
export function hostTarget(): Target | undefined {
  if (process.platform !== 'linux') return undefined
  if (process.arch === 'x64') return isThere('x86_64', 'musl') ? 'linux-x64-baseline-musl' : 'linux-x64-baseline'
  if (process.arch === 'arm64') return isThere('aarch64', 'musl') ? 'linux-arm64-musl' : 'linux-arm64'
  return undefined
}

/** Why an executable for this target cannot be started here; undefined when it can. */
export function notRunnable(target: Target, runtime: Runtime): string | undefined {
  const host = hostTarget()
  const { arch, libc } = partsOf(target)
  const runs = host !== undefined && partsOf(host).arch === arch
  if (runs && (runtime === 'small' || partsOf(host).libc === libc)) return undefined
  return `${target} does not run on this machine (${host ?? `${process.platform}-${process.arch}`})`
}

export function partsOf(target: Target) {
  return {
    arch: target.startsWith('linux-arm64') ? 'arm64' : 'x64',
    baseline: target.includes('-baseline'),
    libc: target.endsWith('-musl') ? 'musl' : 'glibc',
  } as const
}

// A machine has one C library or the other; where both are installed, glibc is the system's own.
const isThere = (machine: string, libc: 'musl'): boolean =>
  existsSync(`/lib/ld-${libc}-${machine}.so.1`) &&
  !existsSync('/lib64/ld-linux-x86-64.so.2') &&
  !existsSync('/lib/ld-linux-aarch64.so.1')
