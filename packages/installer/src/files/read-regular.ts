import { closeSync, constants, readSync, realpathSync, type Stats } from 'node:fs'
import { openRegularFile } from '@cni/host'
import { errnoOf } from '@cni/types'
import { InstallError, isNotFound, toInstallError } from '../install-error.ts'

/** Bytes and stat of a file when the installer read it. */
export interface Snapshot {
  readonly path: string
  /** Path of the file after symbolic links are resolved. */
  readonly target: string
  readonly bytes: Buffer
  readonly stat: Stats
}

/** Maximum number of bytes to read, larger than any network configuration, token or CA bundle. */
const MAX_TEXT = 4 * 1024 * 1024

/** Reads a regular file. Never blocks on a pipe, a device or a huge file. */
export function readRegular(path: string, limit = MAX_TEXT): Snapshot | undefined {
  const file = openAndRead(path, limit)
  if (file === undefined) return undefined
  closeSync(file.fd)
  return file.snapshot
}

/** Reads a file like {@link readRegular}, but leaves the file open. The caller closes the descriptor. */
function openAndRead(path: string, limit = MAX_TEXT): { fd: number; snapshot: Snapshot } | undefined {
  let file: ReturnType<typeof openTarget>
  try {
    file = openTarget(path)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw toInstallError(error, 'cannot read', path)
  }
  const { fd, target, stat } = file
  try {
    return { fd, snapshot: { path, target, bytes: readAll(fd, path, stat.size, limit), stat } }
  } catch (error) {
    closeSync(fd)
    throw toInstallError(error, 'cannot read', path)
  }
}

/** Opens a regular file. Resolves the path only if it is a symbolic link. */
function openTarget(path: string): { fd: number; stat: Stats; target: string } {
  try {
    return { ...openRegularFile(path, constants.O_NOFOLLOW), target: path }
  } catch (error) {
    if (errnoOf(error) !== 'ELOOP') throw error
    const target = realpathSync(path)
    return { ...openRegularFile(target), target }
  }
}

/**
 * Checks that a file has not changed since it was read.
 *
 * @throws {@link InstallError} `CHANGED`.
 */
export function assertUnchanged(path: string, before: Snapshot | undefined): void {
  const fd = openUnchanged(path, before)
  if (fd !== undefined) closeSync(fd)
}

/** Checks that a file is unchanged. Returns its open descriptor, through which the caller detects later writes. */
export function openUnchanged(path: string, before: Snapshot | undefined): number | undefined {
  let now: ReturnType<typeof openAndRead>
  try {
    now = openAndRead(path)
  } catch {
    // An unreadable path, such as a new folder, counts as a changed file.
    throw changed(path)
  }
  if (now === undefined && before === undefined) return undefined
  if (now !== undefined && before !== undefined && isSame(now.snapshot, before)) return now.fd
  if (now !== undefined) closeSync(now.fd)
  throw changed(path)
}

/** Compares the bytes too, because a new file may reuse the inode number. */
function isSame(now: Snapshot, before: Snapshot): boolean {
  return now.stat.ino === before.stat.ino && now.target === before.target && now.bytes.equals(before.bytes)
}

function changed(path: string): InstallError {
  return new InstallError('CHANGED', `${JSON.stringify(path)} was changed by another program meanwhile`, { path })
}

/** Reads all bytes of an open file from its beginning. */
export function readAll(fd: number, path: string, size: number, limit = MAX_TEXT): Buffer {
  const chunks: Buffer[] = []
  let total = 0
  for (;;) {
    if (Math.max(total, size) > limit) {
      throw new InstallError('TOO_LARGE', `${JSON.stringify(path)} is larger than ${limit} bytes`, { path })
    }
    const chunk = Buffer.allocUnsafe(Math.max(size - total, 0) + 4096)
    const count = readSync(fd, chunk, 0, chunk.length, total)
    chunks.push(chunk.subarray(0, count))
    total += count
    // Fewer bytes than requested mean the end of a regular file.
    if (count < chunk.length) return Buffer.concat(chunks, total)
  }
}
