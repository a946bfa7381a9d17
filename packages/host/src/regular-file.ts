import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'

/**
 * Opens a regular file for reading. Anything else in its place is an error at once: to open or read a pipe or a device may
 * take for ever, and no deadline or signal would end that. The caller closes the descriptor.
 *
 * @param flags - more of `constants.O_*`; without `O_NOFOLLOW` symbolic links are followed.
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
 * The text of a regular file of bearable size, symbolic links followed.
 *
 * @param options - with `ownOnly` a file is refused that another user than root or this one owns, or may write.
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

/**
 * Something stands where a file should be that must not be read: it is no regular file, too large, or another user could
 * have written it. True for an error of another copy of this package as well.
 */
export function isReadError(
  error: unknown,
): error is Error & { readonly code: 'NOT_REGULAR' | 'TOO_LARGE' | 'INSECURE'; readonly path: string } {
  return error instanceof Error && brand in error
}
