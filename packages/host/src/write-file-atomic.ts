import { closeSync, constants, fchmodSync, fsyncSync, openSync, renameSync, unlinkSync, writeSync } from 'node:fs'
import { basename, dirname } from 'node:path'

/**
 * Writes a file atomically: readers see either the old or the new content. A failed call leaves no temporary file. A
 * symbolic link at `path` is replaced, not followed. The temporary file is `.<name>.<unique>.tmp` in the same folder.
 *
 * @throws Error with `path`, and the errno name (`ENOSPC`, `EROFS` …) as `code`. The old content of the file is then
 * unchanged.
 * @example
 * writeFileAtomic('/etc/cni/net.d/10-mesh.conflist', text, { mode: 0o600 })
 */
export function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  options: {
    /** Permissions of the written file, independent of the umask. Default: 0o644. */
    mode?: number | undefined
    /** True to flush the written file and its folder to disk. The file then survives a power failure. Default: true. */
    fsync?: boolean | undefined
  } = {},
): void {
  const { mode = 0o644, fsync = true } = options
  const folder = dirname(path)
  // O_EXCL makes open fail if the name of the temporary file already exists.
  const [seconds, nanoseconds] = process.hrtime()
  const unique = `${process.pid.toString(36)}${seconds.toString(36)}${nanoseconds.toString(36)}`
  // Builds the path without `join`, because `join` resolves `..` without following symbolic links.
  const temporary = `${folder}/.${stemOf(basename(path))}.${unique}.tmp`
  try {
    writeAll(temporary, typeof data === 'string' ? new TextEncoder().encode(data) : data, mode, fsync)
    renameSync(temporary, path)
  } catch (error) {
    removeQuietly(temporary)
    throw new WriteError(path, error)
  }
  if (fsync) syncFolder(folder, path)
}

/** Error of an atomic write that failed. `code` is the errno name (`ENOSPC` …). */
class WriteError extends Error {
  readonly code: string
  readonly path: string

  constructor(path: string, cause: unknown) {
    const text = cause instanceof Error ? cause.message : String(cause)
    super(`Could not write ${JSON.stringify(path)}: ${text}`, { cause })
    this.code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'UNKNOWN'
    this.path = path
  }
}
WriteError.prototype.name = 'WriteError'

/** Cuts a file name, because the temporary file's longer name must stay below 255 bytes. */
const stemOf = (name: string): string =>
  Buffer.from(name)
    .subarray(0, 200)
    .toString('latin1')
    .replaceAll(/[^ -~]/g, '_')

function writeAll(path: string, data: Uint8Array, mode: number, fsync: boolean): void {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
  // Creates the temporary file readable only for its owner. The file's final mode is set after the content is written.
  const fd = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    for (let offset = 0; offset < data.length; ) offset += writeSync(fd, data, offset)
    fchmodSync(fd, mode)
    if (fsync) fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function syncFolder(folder: string, path: string): void {
  try {
    const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)
    try {
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    // EINVAL, ENOTSUP: the file system cannot flush folders (some FUSE and 9p mounts). The written file stays.
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (code !== 'EINVAL' && code !== 'ENOTSUP') throw new WriteError(path, error)
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // Ignores the error, because the temporary file may never have been created, or may already be renamed.
  }
}
