import { statSync } from 'node:fs'
import { type Elf, withElf } from '../elf.ts'
import { BuildError } from '../errors.ts'

const MACHINES = { x64: 62, arm64: 183 } as const

/**
 * Rejects a native program that is incomplete or for another processor.
 *
 * @throws BuildError `NO_COMPILER`
 */
export function checkProgram(file: string, arch: keyof typeof MACHINES): void {
  const { size } = statSync(file)
  const fault = withElf(file, (elf) => faultOf(elf, size, arch) ?? 'none') ?? 'is not a program of a 64-bit Linux'
  if (fault !== 'none') throw new BuildError('NO_COMPILER', `${file} ${fault}: install its package again`)
}

// internal

function faultOf({ machine, end }: Elf, size: number, arch: keyof typeof MACHINES): string | undefined {
  if (machine !== MACHINES[arch]) return `is for another processor than ${arch} (ELF machine ${machine})`
  return size === end ? undefined : `has ${size} bytes instead of ${end}`
}
