import { closeSync, readSync } from 'node:fs'
import { openRegularFile } from '@cni/host'
import { elfLength } from './elf-length.ts'

/** More than the table of any program. */
const MAX_BYTES = 4 * 1024 * 1024

/**
 * Why a file cannot be the program it should be: empty, blank as after a power cut, or shorter than its own ELF tables
 * say. `undefined` for all others, scripts included: nothing says how long these are.
 *
 * @throws what keeps it from being read.
 */
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
