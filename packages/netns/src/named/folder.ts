import { closeSync, constants, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { errnoOf } from '@cni/types'
import { privilegeHint } from '../enter/privileges.ts'
import { NetnsError } from '../handle/netns-error.ts'
import { LOCK_EX, MS_BIND, MS_REC, MS_SHARED } from '../sys/constants.ts'
import { isSysError, type Sys } from '../sys/sys.ts'

/** Shares the folder's mount point, so that all mount namespaces see new names. */
export function prepareFolder(sys: Sys, folder: string): void {
  try {
    makeFolder(folder)
    const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)
    try {
      // Locks the folder, because two processes could hide each other's mounts.
      sys.flock(fd, LOCK_EX)
      shareMount(sys, folder)
    } finally {
      closeSync(fd)
    }
  } catch (cause) {
    const errno = errnoOf(cause) ?? 'INVALID'
    const why = `${errno}${privilegeHint(errno, 'CAP_SYS_ADMIN')}`
    const message = `Could not prepare the folder ${JSON.stringify(folder)} for network namespaces: ${why}`
    throw new NetnsError(errno, message, { path: folder, cause })
  }
}

// Creates parent folders one by one, because recursive mkdir loops forever below /proc (Node.js 26.10).
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  if (dirname(folder) !== folder) makeFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o755 })
  } catch (error) {
    // Ignores the error if another process has created the folder meanwhile.
    if (!existsSync(folder)) throw error
  }
}

function shareMount(sys: Sys, folder: string): void {
  const share = () => sys.mount('none', folder, 'none', MS_SHARED | MS_REC, null)
  try {
    share()
  } catch (error) {
    // EINVAL means that the folder is not a mount point yet. Bind-mounts the folder onto itself and tries again.
    if (!isSysError(error) || error.code !== 'EINVAL') throw error
    sys.mount(folder, folder, 'none', MS_BIND | MS_REC, null)
    share()
  }
}
