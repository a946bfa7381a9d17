import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'

/** A file that was opened, and what the kernel says of it. */
export interface OpenedFile {
  readonly fd: number
  readonly stat: Stats
}

/**
 * Opens a regular file for reading. Anything else in its place is an error at once: to open or read a pipe or a device may
 * take for ever, and no deadline or signal would end that. The caller closes the descriptor.
 *
 * @param flags - more of `constants.O_*`; without `O_NOFOLLOW` symbolic links are followed.
 * @throws {@link ReadError} `NOT_REGULAR`, or the file system's error.
 *
 * @example
 * const { fd, stat } = openRegularFile('/etc/cni/net.d/10-mesh.conflist', constants.O_NOFOLLOW)
 */
export function openRegularFile(path: string, flags = 0): OpenedFile {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY | flags)
  try {
    const stat = fstatSync(fd)
    if (stat.isFile()) return { fd, stat }
    throw new ReadError('NOT_REGULAR', path, 'it is not a regular file')
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/** Options of {@link readRegularFile}. */
export interface ReadOptions {
  /** Refuse a file that another user than root or this one owns, or may write. Default: false. */
  readonly ownOnly?: boolean
}

/**
 * The text of a regular file of bearable size, symbolic links followed.
 *
 * @throws {@link ReadError}, or the file system's error.
 */
export function readRegularFile(path: string, maxBytes: number, { ownOnly = false }: ReadOptions = {}): string {
  const { fd, stat } = openRegularFile(path)
  try {
    const reason = ownOnly ? insecurity(stat) : undefined
    if (reason !== undefined) {
      throw new ReadError('INSECURE', path, `it ${reason}: only root may write to it (chown root, chmod 600)`)
    }
    if (stat.size > maxBytes) {
      throw new ReadError('TOO_LARGE', path, `it has ${stat.size} bytes, more than ${maxBytes}`)
    }
    return readFileSync(fd, 'utf8')
  } finally {
    closeSync(fd)
  }
}

/** The user besides root and this one who could have written a file or folder, as a predicate; `undefined`: none. */
export function insecurity({ uid, mode }: Pick<Stats, 'uid' | 'mode'>): string | undefined {
  if (uid !== 0 && uid !== process.geteuid?.()) return `belongs to another user (uid ${uid})`
  if ((mode & 0o022) !== 0) return `may be written by others (mode ${(mode & 0o7777).toString(8)})`
  return undefined
}

const brand = Symbol.for('cni.ReadError')

/**
 * Something stands where a file should be that must not be read. The message begins with "it": the sentence around it
 * names the file, and what the file is to whoever wants to read it.
 */
export class ReadError extends Error {
  readonly code: 'NOT_REGULAR' | 'TOO_LARGE' | 'INSECURE'
  readonly path: string
  readonly [brand] = true

  constructor(code: ReadError['code'], path: string, message: string) {
    super(message)
    this.code = code
    this.path = path
  }
}
ReadError.prototype.name = 'ReadError'

/** Is it a {@link ReadError}, also one of another copy of this package? */
export function isReadError(error: unknown): error is ReadError {
  return error instanceof Error && brand in error
}
