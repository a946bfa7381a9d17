import { type BigIntStats, closeSync, read, readSync } from 'node:fs'
import { promisify } from 'node:util'
import { openRegularFile } from '@cni/host'
import { assertNotAborted } from '../install-error.ts'

/** Number of bytes that a comparison reads from each file at a time. Two such chunks fit into the CPU's cache. */
const CHUNK = 256 * 1024
const readLater = promisify(read)

/** True if two `stat` results describe the same file: same inode number and device. */
export const isSameFile = (a: BigIntStats, b: BigIntStats): boolean => a.ino === b.ino && a.dev === b.dev

/** True if two files have the same bytes. `uncache` gets the first file's descriptor. */
export async function sameBytes(
  a: string,
  b: string,
  signal?: AbortSignal,
  uncache?: (fd: number) => void,
): Promise<boolean> {
  const left = openRegularFile(a)
  try {
    const right = openRegularFile(b)
    try {
      const { size } = left.stat
      if (size !== right.stat.size) return false
      return await sameContent(left.fd, right.fd, size <= CHUNK ? fillNow : fillLater, signal)
    } finally {
      closeSync(right.fd)
    }
  } finally {
    uncache?.(left.fd)
    closeSync(left.fd)
  }
}

type Fill = (fd: number, chunk: Buffer) => number | Promise<number>

async function sameContent(left: number, right: number, fill: Fill, signal?: AbortSignal): Promise<boolean> {
  const chunk = Buffer.allocUnsafe(CHUNK)
  const other = Buffer.allocUnsafe(CHUNK)
  for (;;) {
    const [count, otherCount] = await Promise.all([fill(left, chunk), fill(right, other)])
    assertNotAborted(signal)
    if (count !== otherCount) return false
    if (!chunk.subarray(0, count).equals(other.subarray(0, count))) return false
    if (count < CHUNK) return true
  }
}

/** Reads a file until the chunk is full or the file ends. */
function fillNow(fd: number, chunk: Buffer): number {
  let total = 0
  while (total < chunk.length) {
    const count = readSync(fd, chunk, total, chunk.length - total, null)
    if (count === 0) break
    total += count
  }
  return total
}

async function fillLater(fd: number, chunk: Buffer): Promise<number> {
  let total = 0
  while (total < chunk.length) {
    const { bytesRead } = await readLater(fd, chunk, total, chunk.length - total, null)
    if (bytesRead === 0) break
    total += bytesRead
  }
  return total
}
