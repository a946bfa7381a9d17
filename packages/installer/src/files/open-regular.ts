import { closeSync, constants, fstatSync, openSync, type Stats } from 'node:fs'
import { InstallError } from '../install-error.ts'

/**
 * Opens a regular file for reading, links followed unless `flags` say otherwise; a pipe cannot hold us up. The caller
 * closes it.
 */
export function openRegular(path: string, flags = 0): { fd: number; stat: Stats } {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY | flags)
  try {
    const stat = fstatSync(fd)
    if (stat.isFile()) return { fd, stat }
    throw new InstallError('NOT_READABLE', `${JSON.stringify(path)} is not a file`, { path })
  } catch (error) {
    closeSync(fd)
    throw error
  }
}
