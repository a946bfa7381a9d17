import { chmodSync, fchmodSync, lstatSync, unlinkSync } from 'node:fs'
import { errnoOf } from '@cni/types'
import { NetnsError } from '../handle/netns-error.ts'
import { loadSys } from '../sys/load-sys.ts'

/**
 * Binds a socket to a path. Returns a function that removes the socket's file. Call the function before closing the
 * socket.
 */
export function bindTo(fd: number, path: string, address: Uint8Array, mode: number): () => void {
  removeSocket(path)
  // The kernel's bind creates the file with the mode of the socket's descriptor.
  fchmodSync(fd, mode)
  try {
    loadSys().bind(fd, address)
  } catch (error) {
    const code = errnoOf(error)
    if (code === undefined) throw error
    throw new NetnsError(code, `Cannot make the unix socket ${path}: ${code}`, { path, cause: error })
  }
  // No other file gets the socket file's inode number while the socket is open.
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
    // The socket's file is missing, because another process has removed it. There is no identity to return.
    return undefined
  }
}
