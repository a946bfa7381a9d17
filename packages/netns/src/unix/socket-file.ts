import { chmodSync, fchmodSync, lstatSync, unlinkSync } from 'node:fs'
import { errnoOf } from '@cni/types'
import { NetnsError } from '../handle/netns-error.ts'
import { loadSys } from '../sys/load-sys.ts'

/**
 * Gives a socket its file, in place of the socket that was there. The file never has more permissions than `mode`.
 * Returns what removes it again, unless it is another's by then. Call that before the descriptor is closed.
 */
export function bindTo(fd: number, path: string, address: Uint8Array, mode: number): () => void {
  removeSocket(path)
  // bind makes the file with the descriptor's mode, less the umask.
  fchmodSync(fd, mode)
  try {
    loadSys().bind(fd, address)
  } catch (error) {
    const code = errnoOf(error)
    if (code === undefined) throw error
    throw new NetnsError(code, `Cannot make the unix socket ${path}: ${code}`, { path, cause: error })
  }
  // As long as the socket is open its inode is nobody else's.
  const identity = identityOf(path)
  const remove = () => {
    if (identity !== undefined && identityOf(path) === identity) unlinkSync(path)
  }
  try {
    chmodSync(path, mode)
  } catch (error) {
    remove()
    throw error
  }
  return remove
}

function removeSocket(path: string): void {
  try {
    if (!lstatSync(path).isSocket()) {
      throw new NetnsError('EXISTS', `Cannot make the unix socket ${path}: something else is there`, { path })
    }
    unlinkSync(path)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
  }
}

function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = lstatSync(path, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    // gone
    return undefined
  }
}
