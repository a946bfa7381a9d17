import { closeSync, constants, copyFile, fchmodSync, fstatSync, fsync, openSync, renameSync, type Stats } from 'node:fs'
import { promisify } from 'node:util'
import { openRegularFile } from '@cni/host'
import { assertNotAborted, InstallError, toInstallError } from '../install-error.ts'
import { permissionsOf } from './permissions.ts'
import { removeQuietly, temporaryPath } from './temporary.ts'

const flush = promisify(fsync)

/** How a file is copied. */
export interface CopyOptions {
  /** The plugin's type, which marks the temporary file. */
  readonly type: string
  readonly signal?: AbortSignal | undefined
  /**
   * Told of the source, once the copy is on the disk. The copy stays in the page cache, in large pieces: it would start
   * slower from what page faults read.
   */
  readonly uncache?: ((fd: number) => void) | undefined
  /** Looks at the copy before it gets its name, and throws when it must not. */
  readonly check: (copied: string) => void
}

/**
 * Copies an executable over another that may be running. The write descriptor is closed before the new file has its
 * name, so that nobody who starts it meets a busy file; who runs the old one keeps it.
 *
 * The name changes hands only after the bytes are on the disk: at a power cut the old file is there or the whole new
 * one. A copy that was cut short stays under the temporary name, which the next start sweeps.
 */
export async function copyBinary(source: string, target: string, options: CopyOptions): Promise<void> {
  const { type, signal, uncache, check } = options
  const temporary = temporaryPath(target, type)
  // Not only once the kernel is done with it: the process may end before.
  const remove = (): void => removeQuietly(temporary)
  signal?.addEventListener('abort', remove)
  try {
    const { fd, stat } = openRegularFile(source)
    try {
      // In the kernel and on another thread: shared blocks where the file system can, and no heal waits for it.
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

/** Gives the copy its permissions, and has it written to the disk. */
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
