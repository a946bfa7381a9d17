import { closeSync, constants, copyFile, fchmodSync, fstatSync, fsync, openSync, renameSync, type Stats } from 'node:fs'
import { promisify } from 'node:util'
import { openRegularFile } from '@cni/host'
import { assertNotAborted, InstallError, toInstallError } from '../install-error.ts'
import { permissionsOf } from './permissions.ts'
import { removeQuietly, temporaryPath } from './temporary.ts'

const flush = promisify(fsync)

/** Options of a copy. */
export interface CopyOptions {
  /** The plugin's type, which marks the temporary file. */
  readonly type: string
  readonly signal?: AbortSignal | undefined
  /**
   * Called with the source's descriptor after the copy is on disk. The copy stays in the page cache, which makes the
   * plugin start faster.
   */
  readonly uncache?: ((fd: number) => void) | undefined
  /** Checks the copy before it gets its final name. An error that it throws stops the copy. */
  readonly check: (copied: string) => void
}

/**
 * Copies an executable over another that may be running.
 * The write descriptor is closed before the rename, so that starting the new file never fails as busy. Running
 * processes keep the old file.
 *
 * The rename follows only after the bytes are on disk: after a power cut the old file is there, or the whole new one.
 * An interrupted copy keeps its temporary name, and the next start removes it.
 */
export async function copyBinary(source: string, target: string, options: CopyOptions): Promise<void> {
  const { type, signal, uncache, check } = options
  const temporary = temporaryPath(target, type)
  // Removes the temporary file at once, because the process may exit before the kernel has finished the copy.
  const remove = (): void => removeQuietly(temporary)
  signal?.addEventListener('abort', remove)
  try {
    const { fd, stat } = openRegularFile(source)
    try {
      // Copies in the kernel on another thread. Shares blocks if the file system can. No heal waits for it.
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

/** Sets the permissions of the copy, and flushes it to disk. */
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
