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

/** Files to show, read-only, in place of others. All exist. */
type Binds = readonly { readonly source: string; readonly target: string }[]

const O_PATH = 0o10000000

/**
 * Moves this thread to a private mount namespace with the given bind mounts. Returns the way back.
 * When it throws, the thread is where it was.
 *
 * For good, and harmless unless the process calls chdir: the thread no longer shares its working directory
 * with the process's other threads (CLONE_FS), because a thread that does may not change its mount namespace.
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
      // Again: a thread the runtime started from this one meanwhile shares with it, and setns would say EINVAL
      sys.unshare(CLONE_FS)
      // enters at the namespace's own root: a chroot and the working directory are put back by hand
      sys.setns(namespace, CLONE_NEWNS)
      sys.fchdir(root)
      sys.chroot('.')
      sys.fchdir(cwd)
    }
    // A rehearsal: it needs CAP_SYS_CHROOT besides CAP_SYS_ADMIN, and must not fail when we depend on it.
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

// Private where allowed; slave at least keeps our mounts from the node.
function detach(sys: Sys): void {
  try {
    sys.mount('none', '/', null, MS_REC | MS_PRIVATE, null)
  } catch {
    sys.mount('none', '/', null, MS_REC | MS_SLAVE, null)
  }
}

function bindReadOnly(sys: Sys, { source, target }: Binds[number]): void {
  sys.mount(source, target, null, MS_BIND, null)
  // MS_RDONLY is ignored by the first call
  sys.mount('none', target, null, MS_BIND | MS_REMOUNT | MS_RDONLY, null)
}
