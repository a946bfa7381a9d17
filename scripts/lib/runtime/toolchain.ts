import { spawnSync } from 'node:child_process'
import { env } from '../exec.ts'
import type { Processor } from './pins.ts'

/** An installed C compiler for one processor, without a C library. */
export interface Toolchain {
  readonly gcc: string
  /** Compiler version, such as `gcc (Debian 12.2.0-14+deb12u1) 12.2.0`. Equal versions give equal bytes. */
  readonly version: string
  /** Folder of the headers that belong to the compiler itself, such as stddef.h. */
  readonly headers: string
  /** Path of libgcc, which contains functions for operations that the processor has no instruction for. */
  readonly libgcc: string
}

const GCC = { x64: 'x86_64-linux-gnu-gcc', arm64: 'aarch64-linux-gnu-gcc' } as const

/** Finds the C compiler for a processor. `undefined` if the compiler is not installed. */
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
