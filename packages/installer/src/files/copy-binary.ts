import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsync,
  openSync,
  readSync,
  renameSync,
  type Stats,
  writeSync,
} from 'node:fs'
import { promisify } from 'node:util'
import { InstallError, toInstallError } from '../install-error.ts'
import { removeQuietly, temporaryPath } from './temporary.ts'

const CHUNK = 1024 * 1024
const flush = promisify(fsync)
const turn = promisify(setImmediate)

/** Opens a regular file for reading, links followed; a pipe cannot hold us up. The caller closes it. */
function openRegular(path: string): { fd: number; stat: Stats } {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  const stat = fstatSync(fd)
  if (stat.isFile()) return { fd, stat }
  closeSync(fd)
  throw new InstallError('NOT_READABLE', `${JSON.stringify(path)} is not a file`, { path })
}

/** Whether two files hold the same bytes. Other work goes on between the chunks. */
export async function sameBytes(a: string, b: string, signal?: AbortSignal): Promise<boolean> {
  const left = openRegular(a)
  try {
    const right = openRegular(b)
    try {
      if (left.stat.size !== right.stat.size) return false
      const chunk = Buffer.allocUnsafe(CHUNK)
      const other = Buffer.allocUnsafe(CHUNK)
      for (;;) {
        const count = fill(left.fd, chunk)
        if (count !== fill(right.fd, other)) return false
        if (count === 0) return true
        if (!chunk.subarray(0, count).equals(other.subarray(0, count))) return false
        if (count < CHUNK) continue
        await turn()
        assertGoing(signal)
      }
    } finally {
      closeSync(right.fd)
    }
  } finally {
    closeSync(left.fd)
  }
}

/**
 * Copies an executable over another that may be running. The write descriptor is closed before the new file has its
 * name, so that nobody who starts it meets a busy file; who runs the old one keeps it.
 */
export async function copyBinary(source: string, target: string, type: string, signal?: AbortSignal): Promise<void> {
  const temporary = temporaryPath(target, type)
  try {
    const { fd, stat } = openRegular(source)
    try {
      await copyTo(fd, temporary, stat.mode & 0o7777, signal)
    } finally {
      closeSync(fd)
    }
    assertGoing(signal)
    renameSync(temporary, target)
  } catch (error) {
    removeQuietly(temporary)
    throw toInstallError(error, `cannot copy ${source} to`, target)
  }
}

async function copyTo(source: number, temporary: string, mode: number, signal?: AbortSignal): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
  const fd = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    const chunk = Buffer.allocUnsafe(CHUNK)
    for (;;) {
      const count = fill(source, chunk)
      for (let offset = 0; offset < count; ) offset += writeSync(fd, chunk, offset, count - offset)
      if (count < CHUNK) break
      await turn()
      assertGoing(signal)
    }
    fchmodSync(fd, mode)
    // off this thread: a slow disk takes seconds for a large file
    await flush(fd)
  } finally {
    closeSync(fd)
  }
}

/** Reads until the chunk is full or the file ends. */
function fill(fd: number, chunk: Buffer): number {
  let total = 0
  while (total < chunk.length) {
    const count = readSync(fd, chunk, total, chunk.length - total, null)
    if (count === 0) break
    total += count
  }
  return total
}

function assertGoing(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new InstallError('ABORTED', 'stopped')
}
