import { lstatSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { insecurity } from '@cni/host'
import { errnoOf, messageOf } from '@cni/types'

/** Reason to distrust a socket path. Callers print the path before the reason. */
export function socketProblem(path: string): string | undefined {
  try {
    const stat = lstatSync(path)
    if (stat.isSymbolicLink()) return 'it is a symbolic link: name the socket itself'
    if (!stat.isSocket()) return 'it is not a socket'
    const ofOwner = insecurity({ uid: stat.uid, mode: 0 })
    if (ofOwner !== undefined) return `it ${ofOwner}`
    // Accepts a socket that a group can write: container runtimes create their sockets with mode 0660.
    if ((stat.mode & 0o002) !== 0) return `everybody may connect to it (mode ${(stat.mode & 0o7777).toString(8)})`
    const ofFolder = insecurity(statSync(dirname(path)))
    return ofFolder === undefined ? undefined : `its folder ${ofFolder}`
  } catch (error) {
    return errnoOf(error) === 'ENOENT' ? 'it does not exist' : messageOf(error)
  }
}
