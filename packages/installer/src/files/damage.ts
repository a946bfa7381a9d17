import { closeSync, readSync } from 'node:fs'
import { openRegularFile } from '@cni/host'
import { elfLength } from './elf-length.ts'

/** Maximum number of bytes to read for a table of an ELF file. Tables of real programs are smaller. */
const MAX_BYTES = 4 * 1024 * 1024

/** Detects damage of a program file. Returns `undefined` for an intact file or a script. */
export function damageOf(path: string): 'empty' | 'blank' | 'truncated' | undefined {
  const { fd, stat } = openRegularFile(path)
  const read = (at: number, length: number): Uint8Array => {
    const chunk = Buffer.alloc(Math.max(0, Math.min(length, MAX_BYTES, stat.size - at)))
    return chunk.subarray(0, chunk.length === 0 ? 0 : readSync(fd, chunk, 0, chunk.length, at))
  }
  try {
    const start = read(0, 64)
    if (start.length === 0) return 'empty'
    if (start.every((byte) => byte === 0)) return 'blank'
    return (elfLength(read) ?? 0) > stat.size ? 'truncated' : undefined
  } finally {
    closeSync(fd)
  }
}
