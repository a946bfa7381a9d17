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

/** Files to show, read-only, in place of other files. All files must exist. */
type Binds = readonly { readonly source: string; readonly target: string }[]

const O_PATH = 0o10000000

/**
 * Moves this thread to a private mount namespace with the given bind mounts. Returns a function that moves it back. If
 * it throws, the thread has not moved.
 *
 * Permanent effect: the thread no longer shares its working directory with the other threads of the process. A thread
 * that shares it (CLONE_FS) cannot change its mount namespace. This matters only for processes that call chdir.
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
      // Repeats the unshare, without which setns may fail with EINVAL. The runtime may have started a thread from this
      // one, and the new thread shares its working directory.
      sys.unshare(CLONE_FS)
      // setns moves to the root of the namespace. Restores the previous root (chroot) and working directory.
      sys.setns(namespace, CLONE_NEWNS)
      sys.fchdir(root)
      sys.chroot('.')
      sys.fchdir(cwd)
    }
    // Tests the return to the old mount namespace now. The return requires CAP_SYS_CHROOT in addition to CAP_SYS_ADMIN.
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

// Makes this thread's mounts private if the kernel allows that. Slave mounts also hide the thread's mounts from the
// node.
function detach(sys: Sys): void {
  try {
    sys.mount('none', '/', null, MS_REC | MS_PRIVATE, null)
  } catch {
    sys.mount('none', '/', null, MS_REC | MS_SLAVE, null)
  }
}

function bindReadOnly(sys: Sys, { source, target }: Binds[number]): void {
  sys.mount(source, target, null, MS_BIND, null)
  // The kernel ignores MS_RDONLY in the first call.
  sys.mount('none', target, null, MS_BIND | MS_REMOUNT | MS_RDONLY, null)
}
