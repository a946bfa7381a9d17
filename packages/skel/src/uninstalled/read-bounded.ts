import { closeSync, readSync } from 'node:fs'
import { insecurity, openRegularFile } from '@cni/host'

/** How {@link readBounded} reads. */
export interface BoundedRead {
  readonly maxBytes: number
  /** More flags of `open`, such as `O_NOFOLLOW`. */
  readonly flags?: number
  /** Refuse a file that another user than root or this one owns, or may write. */
  readonly ownOnly?: boolean
}

/**
 * The text of a regular file, at most as long as it was when it was opened.
 *
 * @throws the error of the file system, or an Error whose message begins with "it".
 */
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
