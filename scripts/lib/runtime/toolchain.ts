import { spawnSync } from 'node:child_process'
import { env } from '../exec.ts'
import type { Processor } from './pins.ts'

/** Compiler for one processor, without its C library. */
export interface Toolchain {
  readonly gcc: string
  /** Version such as `gcc (Debian 12.2.0-14+deb12u1) 12.2.0`. Equal compilers give equal bytes. */
  readonly version: string
  /** Folder of the compiler's own headers. */
  readonly headers: string
  /** Library with functions that the compiler calls for missing processor instructions. */
  readonly libgcc: string
}

const GCC = { x64: 'x86_64-linux-gnu-gcc', arm64: 'aarch64-linux-gnu-gcc' } as const

/** The compiler for a processor; `undefined` if it is not installed. */
export function findToolchain(processor: Processor): Toolchain | undefined {
  const gcc = GCC[processor]
  const [version = ''] = ask(gcc, '--version')?.split('\n') ?? []
  const headers = ask(gcc, '-print-file-name=include')
  const libgcc = ask(gcc, '-print-libgcc-file-name')
  if (version === '' || headers === undefined || libgcc === undefined) return undefined
  return { gcc, version, headers, libgcc }
}

function ask(gcc: string, option: string): string | undefined {
  const { status, stdout } = spawnSync(gcc, [option], { env: { ...env, LC_ALL: 'C' }, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}
