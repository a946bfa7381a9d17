import { closeSync, constants, copyFile, fchmodSync, fstatSync, fsync, openSync, renameSync, type Stats } from 'node:fs'
import { promisify } from 'node:util'
import { openRegularFile } from '@cni/host'
import { assertNotAborted, InstallError, toInstallError } from '../install-error.ts'
import { permissionsOf } from './permissions.ts'
import { removeQuietly, temporaryPath } from './temporary.ts'

const flush = promisify(fsync)

/** Options for copying one executable. */
export interface CopyOptions {
  /** The plugin's type, which becomes part of the temporary file's name. */
  readonly type: string
  readonly signal?: AbortSignal | undefined
  /**
   * Callback that drops the source file from the page cache. The callback gets this file's descriptor after copying.
   */
  readonly uncache?: ((fd: number) => void) | undefined
  /** Callback that checks the copy before the copy gets its final name. If it throws, the copy is removed. */
  readonly check: (copied: string) => void
}

/** Copies an executable. Closes the copy before renaming it: starting an open copy fails with ETXTBSY. */
export async function copyBinary(source: string, target: string, options: CopyOptions): Promise<void> {
  const { type, signal, uncache, check } = options
  const temporary = temporaryPath(target, type)
  // Removes the temporary file at once on an abort, because the process may exit before copying ends.
  const remove = (): void => removeQuietly(temporary)
  signal?.addEventListener('abort', remove)
  try {
    const { fd, stat } = openRegularFile(source)
    try {
      // Copies on another thread, so the installer can restore other files meanwhile.
      await promisify(copyFile)(source, temporary, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
      assertNotAborted(signal)
      await settle(temporary, stat)
      uncache?.(fd)
    } finally {
      closeSync(fd)
    }
    assertNotAborted(signal)
    check(temporary)
    renameSync(temporary, target)
  } catch (error) {
    remove()
    throw toInstallError(error, `cannot copy ${source} to`, target)
  } finally {
    signal?.removeEventListener('abort', remove)
  }
}

/** Gives the copy of an executable the permissions of its source, and flushes the copy to disk. */
async function settle(temporary: string, stat: Stats): Promise<void> {
  const fd = openSync(temporary, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    if (fstatSync(fd).size !== stat.size)
      throw new InstallError('CHANGED', 'the source was changed while it was copied')
    fchmodSync(fd, permissionsOf(stat))
    await flush(fd)
  } finally {
    closeSync(fd)
  }
}
