import { isReadError } from '@cni/host'
import { errnoOf, messageOf } from '@cni/types'

const brand = Symbol.for('cni.InstallError')

/** Error of a failed installation step. The message names the file. The failed step has not changed this file. */
export class InstallError extends Error {
  /** Kind of failure. `IO` is a failed system call, whose error name is in `errno`. */
  readonly code:
    | 'INVALID_OPTIONS'
    | 'INVALID_CONFIG'
    | 'NOT_READABLE'
    | 'TOO_LARGE'
    | 'NOT_OURS'
    | 'NOT_FIRST'
    | 'CHANGED'
    | 'NO_CREDENTIALS'
    | 'NO_SOURCE'
    | 'BROKEN_SOURCE'
    | 'ABORTED'
    | 'IO'
  readonly path: string | undefined
  readonly errno: string | undefined
  readonly [brand] = true

  constructor(code: InstallError['code'], message: string, options: { path?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.path = options.path
    this.errno = errnoOf(options.cause)
  }
}
InstallError.prototype.name = 'InstallError'

/** True for an {@link InstallError}, also from another copy of this package. */
export function isInstallError(error: unknown): error is InstallError {
  return error instanceof Error && brand in error
}

/** True for an error which says that a path does not exist. */
export function isNotFound(error: unknown): boolean {
  const errno = errnoOf(error)
  return errno === 'ENOENT' || errno === 'ENOTDIR'
}

/** Throws an {@link InstallError} `ABORTED` if the AbortSignal has aborted. */
export function assertNotAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new InstallError('ABORTED', 'stopped')
}

/** Converts any error to an {@link InstallError}. `what` is the failed action. Adds a hint for the errno. */
export function toInstallError(error: unknown, what: string, path: string): InstallError {
  if (isInstallError(error)) return error
  if (isReadError(error)) {
    return new InstallError('NOT_READABLE', `${JSON.stringify(error.path)} is not a file`, { path: error.path })
  }
  const errno = errnoOf(error)
  const message = messageOf(error)
  // Removes the temporary file's name from the message, because the name differs each time.
  const text = errno === undefined ? message : message.replace(/, \w+(?: '.*)?$/s, '')
  const hint = HINTS[errno ?? '']
  return new InstallError('IO', `${what} ${JSON.stringify(path)}: ${text}${hint ? ` (${hint})` : ''}`, {
    path,
    cause: error,
  })
}

const HINTS: Readonly<Record<string, string>> = {
  EROFS: 'the file system is read-only: is this the folder of your platform?',
  ENOSPC: 'the file system is full',
  EDQUOT: 'the quota is used up',
  EACCES: 'the agent needs root, or CAP_DAC_OVERRIDE',
  EPERM: 'the agent needs root, and the file may be immutable',
  EBUSY: 'the file is a mount of its own, which cannot be replaced: mount its folder instead',
}
