import { spawnSync } from 'node:child_process'
import { env } from '../exec.ts'
import { Stop } from '../progress.ts'
import type { Processor } from './pins.ts'

/** A compiler for one processor. The C library is not its own. */
export interface Toolchain {
  readonly gcc: string
  /** The Debian package that brings it. */
  readonly debianPackage: string
  /** `gcc (Debian 12.2.0-14+deb12u1) 12.2.0`: the same compiler makes the same bytes. */
  readonly version: string
  /** Folder of the headers that belong to the compiler. */
  readonly headers: string
  /** Functions that the compiler calls for what the processor cannot do. */
  readonly libgcc: string
}

const NAMES = {
  x64: { gcc: 'x86_64-linux-gnu-gcc', debianPackage: 'gcc' },
  arm64: { gcc: 'aarch64-linux-gnu-gcc', debianPackage: 'gcc-aarch64-linux-gnu' },
} as const

/** The compiler for a processor; `undefined` if it is not installed. */
export function findToolchain(processor: Processor): Toolchain | undefined {
  const { gcc, debianPackage } = NAMES[processor]
  const [version = ''] = ask(gcc, '--version')?.split('\n') ?? []
  const headers = ask(gcc, '-print-file-name=include')
  const libgcc = ask(gcc, '-print-libgcc-file-name')
  if (version === '' || headers === undefined || libgcc === undefined) return undefined
  return { gcc, debianPackage, version, headers, libgcc }
}

/** Throws one sentence that says what to install, or how to do without. */
export function toolchain(processor: Processor): Toolchain {
  const found = findToolchain(processor)
  if (found !== undefined) return found
  const { gcc, debianPackage } = NAMES[processor]
  throw new Stop(
    `the small runtime for ${processor} is compiled by ${gcc}, which is not here: apt-get install ${debianPackage}, or build plugins with --runtime bun`,
  )
}

function ask(gcc: string, option: string): string | undefined {
  const { status, stdout } = spawnSync(gcc, [option], { env: { ...env, LC_ALL: 'C' }, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}
