import { linkSync, renameSync } from 'node:fs'
import { removeQuietly, temporaryPath } from './temporary.ts'

/**
 * Makes a path one more name of a file, over what was there; false where the file system has no such links, or not so
 * many: then a copy does.
 */
export function linkBinary(file: string, path: string, type: string): boolean {
  const temporary = temporaryPath(path, type)
  try {
    linkSync(file, temporary)
    renameSync(temporary, path)
    return true
  } catch {
    // EXDEV, EPERM, EMLINK, ENOTSUP …; what else is wrong with the folder the copy says.
    return false
  } finally {
    // A rename over another name of the same file leaves both.
    removeQuietly(temporary)
  }
}
