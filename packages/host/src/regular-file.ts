import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'

/**
 * Opens a regular file for reading. Other kinds of files throw at once. Opening or reading a pipe or a device may block
 * forever; neither a deadline nor a signal would end it. The caller closes the descriptor.
 *
 * @param flags - further `constants.O_*`; without `O_NOFOLLOW`, symbolic links are followed.
 * @throws an error of {@link isReadError} with the code `NOT_REGULAR`, or the file system's error.
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
 * Text of a regular file with a size limit. Symbolic links are followed.
 *
 * @param options - `ownOnly` refuses a file that a user other than root and the current user owns or may write.
 * @throws an error of {@link isReadError}, or the file system's error.
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
 * Reason why a user other than root and the current one could have written a file or folder. The text is a predicate.
 * `undefined` means that no other user could.
 */
export function insecurity({ uid, mode }: Pick<Stats, 'uid' | 'mode'>): string | undefined {
  if (uid !== 0 && uid !== process.geteuid?.()) return `belongs to another user (uid ${uid})`
  if ((mode & 0o022) !== 0) return `may be written by others (mode ${(mode & 0o7777).toString(8)})`
  return undefined
}

const brand = Symbol.for('cni.ReadError')

/** A file must not be read. The message begins with "it": the caller's sentence names the file and its purpose. */
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
 * True if a file must not be read: it is not a regular file, it is too large, or another user could have written it.
 * Also recognises errors of another copy of this package.
 */
export function isReadError(
  error: unknown,
): error is Error & { readonly code: 'NOT_REGULAR' | 'TOO_LARGE' | 'INSECURE'; readonly path: string } {
  return error instanceof Error && brand in error
}
