import { spawnSync } from 'node:child_process'
import { env } from '../exec.ts'
import type { Processor } from './pins.ts'

/** A compiler for one processor. The C library is not its own. */
export interface Toolchain {
  readonly gcc: string
  /** `gcc (Debian 12.2.0-14+deb12u1) 12.2.0`: the same compiler makes the same bytes. */
  readonly version: string
  /** Folder of the headers that belong to the compiler. */
  readonly headers: string
  /** Functions that the compiler calls for what the processor cannot do. */
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
