import { existsSync } from 'node:fs'

/** Runtime in the executable. `small` suits plugins, and `bun` suits long-running processes. */
export type Runtime = 'small' | 'bun'

/** Machine that an executable is built for. `-baseline` runs on x86-64 without AVX2, `-musl` on Alpine and Talos. */
export type Target =
  | 'linux-x64-baseline'
  | 'linux-x64'
  | 'linux-arm64'
  | 'linux-x64-baseline-musl'
  | 'linux-x64-musl'
  | 'linux-arm64-musl'

/** All machines that executables can be built for. */
export const TARGETS = [
  'linux-x64-baseline',
  'linux-x64',
  'linux-arm64',
  'linux-x64-baseline-musl',
  'linux-x64-musl',
  'linux-arm64-musl',
] as const satisfies readonly Target[]

/** Name of the npm package that contains bun for a target machine. */
export function bunPackage(target: Target): string {
  const { arch, baseline, libc } = partsOf(target)
  const cpu = arch === 'arm64' ? 'aarch64' : 'x64'
  return `@oven/bun-linux-${cpu}${libc === 'musl' ? '-musl' : ''}${baseline ? '-baseline' : ''}`
}

/** Value of bun's option `--target` for a target machine. */
export function bunTarget(target: Target): string {
  const { arch, baseline, libc } = partsOf(target)
  return `bun-linux-${arch}${baseline ? '-baseline' : ''}${libc === 'musl' ? '-musl' : ''}`
}

/** Target of the small runtime, which needs neither a C library nor AVX2. */
export const smallTarget = (target: Target): Target => `linux-${partsOf(target).arch}`

/** Target that describes the build machine. `undefined` if the machine does not run Linux on x64 or arm64. */
export function hostTarget(): Target | undefined {
  if (process.platform !== 'linux') return undefined
  if (process.arch === 'x64') return isThere('x86_64', 'musl') ? 'linux-x64-baseline-musl' : 'linux-x64-baseline'
  if (process.arch === 'arm64') return isThere('aarch64', 'musl') ? 'linux-arm64-musl' : 'linux-arm64'
  return undefined
}

/** Reason why this machine cannot run an executable for the target. `undefined` if this machine can run it. */
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

// True if this machine has musl and no glibc.
const isThere = (machine: string, libc: 'musl'): boolean =>
  existsSync(`/lib/ld-${libc}-${machine}.so.1`) &&
  !existsSync('/lib64/ld-linux-x86-64.so.2') &&
  !existsSync('/lib/ld-linux-aarch64.so.1')
