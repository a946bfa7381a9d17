import {
  closeSync,
  constants,
  copyFile,
  fchmodSync,
  fstatSync,
  fsync,
  openSync,
  read,
  readSync,
  renameSync,
  type Stats,
} from 'node:fs'
import { promisify } from 'node:util'
import { InstallError, toInstallError } from '../install-error.ts'
import { removeQuietly, temporaryPath } from './temporary.ts'

/** Two of them fit into a core's own cache. */
const CHUNK = 256 * 1024
const flush = promisify(fsync)
const readLater = promisify(read)

/** Opens a regular file for reading, links followed; a pipe cannot hold us up. The caller closes it. */
function openRegular(path: string): { fd: number; stat: Stats } {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  const stat = fstatSync(fd)
  if (stat.isFile()) return { fd, stat }
  closeSync(fd)
  throw new InstallError('NOT_READABLE', `${JSON.stringify(path)} is not a file`, { path })
}

/** Whether two files hold the same bytes. Those of large ones are read off this thread, so that other work goes on. */
export async function sameBytes(a: string, b: string, signal?: AbortSignal): Promise<boolean> {
  const left = openRegular(a)
  try {
    const right = openRegular(b)
    try {
      const { size } = left.stat
      if (size !== right.stat.size) return false
      return await sameContent(left.fd, right.fd, size <= CHUNK ? fillNow : fillLater, signal)
    } finally {
      closeSync(right.fd)
    }
  } finally {
    closeSync(left.fd)
  }
}

type Fill = (fd: number, chunk: Buffer) => number | Promise<number>

async function sameContent(left: number, right: number, fill: Fill, signal?: AbortSignal): Promise<boolean> {
  const chunk = Buffer.allocUnsafe(CHUNK)
  const other = Buffer.allocUnsafe(CHUNK)
  for (;;) {
    const [count, otherCount] = await Promise.all([fill(left, chunk), fill(right, other)])
    assertGoing(signal)
    if (count !== otherCount) return false
    if (!chunk.subarray(0, count).equals(other.subarray(0, count))) return false
    if (count < CHUNK) return true
  }
}

/**
 * Copies an executable over another that may be running. The write descriptor is closed before the new file has its
 * name, so that nobody who starts it meets a busy file; who runs the old one keeps it.
 *
 * The name changes hands only after the bytes are on the disk: at a power cut the old file is there or the whole new
 * one. A copy that was cut short stays under the temporary name, which the next start sweeps.
 */
export async function copyBinary(source: string, target: string, type: string, signal?: AbortSignal): Promise<void> {
  const temporary = temporaryPath(target, type)
  try {
    const { fd, stat } = openRegular(source)
    closeSync(fd)
    // In the kernel and on another thread: shared blocks where the file system can, and no heal waits for it.
    await promisify(copyFile)(source, temporary, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    assertGoing(signal)
    await settle(temporary, stat)
    assertGoing(signal)
    renameSync(temporary, target)
  } catch (error) {
    removeQuietly(temporary)
    throw toInstallError(error, `cannot copy ${source} to`, target)
  }
}

/** Gives the copy its permissions, and has it written to the disk. */
async function settle(temporary: string, { size, mode }: Stats): Promise<void> {
  const fd = openSync(temporary, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    if (fstatSync(fd).size !== size) throw new InstallError('CHANGED', 'the source was changed while it was copied')
    fchmodSync(fd, mode & 0o7777)
    await flush(fd)
  } finally {
    closeSync(fd)
  }
}

/** Reads until the chunk is full or the file ends. */
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

function assertGoing(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new InstallError('ABORTED', 'stopped')
}
