import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { BuildError } from '../errors.ts'

const HEADER_BYTES = 64
const MACHINES = { x64: 62, arm64: 183 } as const

/**
 * Refuses a native program of another processor, and one that is not whole.
 *
 * @throws BuildError `NO_COMPILER`
 */
export function checkProgram(file: string, arch: keyof typeof MACHINES): void {
  const fault = faultOf(file, arch)
  if (fault !== undefined) throw new BuildError('NO_COMPILER', `${file} ${fault}: install its package again`)
}

// internal

function faultOf(file: string, arch: keyof typeof MACHINES): string | undefined {
  const fd = openSync(file, 'r')
  try {
    const { size } = fstatSync(fd)
    const header = Buffer.alloc(HEADER_BYTES)
    readSync(fd, header, 0, HEADER_BYTES, 0)
    if (header.toString('latin1', 0, 6) !== '\x7fELF\x02\x01') return 'is not a program of a 64-bit Linux'
    const machine = header.readUInt16LE(18)
    if (machine !== MACHINES[arch]) return `is for another processor than ${arch} (ELF machine ${machine})`
    // The table of sections is the last part of a file that a linker writes.
    const end = Number(header.readBigUInt64LE(40)) + header.readUInt16LE(58) * header.readUInt16LE(60)
    return size === end ? undefined : `has ${size} bytes instead of ${end}`
  } finally {
    closeSync(fd)
  }
}
