import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'

/**
 * Opens a regular file for reading; the caller closes the descriptor. Throws at once for other file types, because a
 * pipe or a device may block forever.
 *
 * @param flags - additional open flags `constants.O_*`. Symbolic links are followed, unless the flags contain
 * `O_NOFOLLOW`.
 * @throws an error that {@link isReadError} recognises, with the code `NOT_REGULAR`, or the file system's error.
 *
 * @example
 * const { fd, stat } = openRegularFile('/etc/cni/net.d/10-mesh.conflist', constants.O_NOFOLLOW)
 */
export function openRegularFile(path: string, flags = 0): { readonly fd: number; readonly stat: Stats } {
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

/**
 * Reads the text of a regular file of at most `maxBytes` bytes. Follows symbolic links.
 *
 * @param options - `ownOnly` accepts the file only if root or the current user owns it and no other user can write it.
 * @throws an error that {@link isReadError} recognises, or the file system's error.
 */
export function readRegularFile(
  path: string,
  maxBytes: number,
  { ownOnly = false }: { readonly ownOnly?: boolean } = {},
): string {
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

/**
 * Returns the reason to distrust a file that another user could have written. The reason has no subject, such as
 * `belongs to another user (uid 7)`. Returns `undefined` if only root and the current user could have written the file.
 */
export function insecurity({ uid, mode }: Pick<Stats, 'uid' | 'mode'>): string | undefined {
  if (uid !== 0 && uid !== process.geteuid?.()) return `belongs to another user (uid ${uid})`
  if ((mode & 0o022) !== 0) return `may be written by others (mode ${(mode & 0o7777).toString(8)})`
  return undefined
}

const brand = Symbol.for('cni.ReadError')

/** Error of a file that this package refuses to read. The message omits the path. */
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

/**
 * True for an error about a file that this package refuses to read. Also recognises errors of another copy of this
 * package.
 */
export function isReadError(
  error: unknown,
): error is Error & { readonly code: 'NOT_REGULAR' | 'TOO_LARGE' | 'INSECURE'; readonly path: string } {
  return error instanceof Error && brand in error
}
