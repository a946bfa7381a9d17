import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, type Stats } from 'node:fs'
import { errnoOf, InstallError, toInstallError } from '../install-error.ts'

/** A file as it was read: what must still be true when it is replaced. */
export interface Snapshot {
  readonly path: string
  /** Where it really is: a symbolic link is read through. */
  readonly target: string
  readonly bytes: Buffer
  readonly stat: Stats
}

/** More than any network configuration, token or CA bundle. */
export const MAX_TEXT = 4 * 1024 * 1024

/**
 * Reads a regular file, symbolic links followed; `undefined` when there is none. Neither a pipe nor a device nor a huge
 * file can hold us up.
 *
 * @throws {@link InstallError} `NOT_READABLE`, `TOO_LARGE` or `IO`.
 */
export function readRegular(path: string, limit = MAX_TEXT): Snapshot | undefined {
  let fd: number
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  } catch (error) {
    const errno = errnoOf(error)
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return undefined
    throw toInstallError(error, 'cannot read', path)
  }
  try {
    const stat = fstatSync(fd)
    if (!stat.isFile()) throw new InstallError('NOT_READABLE', `${JSON.stringify(path)} is not a file`, { path })
    return { path, target: realpathSync(path), bytes: readAll(fd, path, stat.size, limit), stat }
  } catch (error) {
    // gone between open and realpath
    if (errnoOf(error) === 'ENOENT') return undefined
    throw toInstallError(error, 'cannot read', path)
  } finally {
    closeSync(fd)
  }
}

/** Whether a file is the one that was read before: the same inode with the same bytes. `undefined` is no file. */
export function isUnchanged(path: string, before: Snapshot | undefined): boolean {
  let now: Snapshot | undefined
  try {
    now = readRegular(path)
  } catch {
    // something else is there now
    return false
  }
  if (now === undefined || before === undefined) return now === before
  return now.stat.ino === before.stat.ino && now.target === before.target && now.bytes.equals(before.bytes)
}

function readAll(fd: number, path: string, size: number, limit: number): Buffer {
  const chunks: Buffer[] = []
  let total = 0
  for (;;) {
    if (Math.max(total, size) > limit) {
      throw new InstallError('TOO_LARGE', `${JSON.stringify(path)} is larger than ${limit} bytes`, { path })
    }
    const chunk = Buffer.allocUnsafe(Math.max(size - total, 0) + 4096)
    const count = readSync(fd, chunk, 0, chunk.length, null)
    if (count === 0) return Buffer.concat(chunks, total)
    chunks.push(chunk.subarray(0, count))
    total += count
  }
}
