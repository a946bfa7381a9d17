import { closeSync, readSync } from 'node:fs'
import { insecurity, openRegularFile } from '@cni/host'

/** Options of {@link readBounded}. */
export interface BoundedRead {
  readonly maxBytes: number
  /** Further flags for the system call open(2), such as `O_NOFOLLOW`. */
  readonly flags?: number
  /** True to accept only a file that root or the process's own user controls. */
  readonly ownOnly?: boolean
}

/** Reads a regular file. Callers print the file's path before the error message. */
export function readBounded(path: string, { maxBytes, flags, ownOnly = false }: BoundedRead): string {
  const { fd, stat } = openRegularFile(path, flags)
  try {
    const reason = ownOnly ? insecurity(stat) : undefined
    if (reason !== undefined) throw new Error(`it ${reason}`)
    if (stat.size > maxBytes) throw new Error(`it has ${stat.size} bytes, more than ${maxBytes}`)
    const bytes = new Uint8Array(stat.size)
    let length = 0
    for (let count = -1; count !== 0 && length < bytes.length; length += count) {
      count = readSync(fd, bytes, length, bytes.length - length, null)
    }
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, length))
  } finally {
    closeSync(fd)
  }
}
