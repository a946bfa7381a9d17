import { closeSync, constants as fs, openSync } from 'node:fs'
import {
  CLONE_FS,
  CLONE_NEWNS,
  MS_BIND,
  MS_PRIVATE,
  MS_RDONLY,
  MS_REC,
  MS_REMOUNT,
  MS_SLAVE,
} from '../sys/constants.ts'
import type { Sys } from '../sys/sys.ts'

/** Bind mounts that show one file, read-only, in place of another. All files must exist. */
type Binds = readonly { readonly source: string; readonly target: string }[]

const O_PATH = 0o10000000

/**
 * Moves this thread to a private mount namespace. The thread no longer shares its working directory with other threads,
 * because the kernel requires that.
 */
export function raiseShield(sys: Sys, binds: Binds): () => void {
  const fds: number[] = []
  const hold = (path: string, flags: number) => {
    const fd = openSync(path, flags)
    fds.push(fd)
    return fd
  }
  const release = () => {
    for (const fd of fds) closeSync(fd)
  }
  try {
    const namespace = hold('/proc/thread-self/ns/mnt', fs.O_RDONLY)
    const cwd = hold('.', O_PATH | fs.O_DIRECTORY)
    const root = hold('/', O_PATH | fs.O_DIRECTORY)
    const goBack = () => {
      // The next call, setns, fails with EINVAL if another thread shares the working directory.
      sys.unshare(CLONE_FS)
      // Restores root (chroot) and working directory. setns sets both to the root of the mount namespace.
      sys.setns(namespace, CLONE_NEWNS)
      sys.fchdir(root)
      sys.chroot('.')
      sys.fchdir(cwd)
    }
    // `goBack` needs a capability. Without the capability, this first call throws before the thread moves.
    goBack()
    sys.unshare(CLONE_NEWNS)
    try {
      detach(sys)
      for (const bind of binds) bindReadOnly(sys, bind)
    } catch (error) {
      goBack()
      throw error
    }
    return () => {
      try {
        goBack()
      } finally {
        release()
      }
    }
  } catch (error) {
    release()
    throw error
  }
}

// Makes this thread's mounts private or slave, so that the node does not see them.
function detach(sys: Sys): void {
  try {
    sys.mount('none', '/', null, MS_REC | MS_PRIVATE, null)
  } catch {
    sys.mount('none', '/', null, MS_REC | MS_SLAVE, null)
  }
}

function bindReadOnly(sys: Sys, { source, target }: Binds[number]): void {
  sys.mount(source, target, null, MS_BIND, null)
  // Makes the bind mount read-only in a second call, because the first ignores MS_RDONLY.
  sys.mount('none', target, null, MS_BIND | MS_REMOUNT | MS_RDONLY, null)
}
