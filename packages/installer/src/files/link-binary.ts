import { linkSync, renameSync } from 'node:fs'
import { removeQuietly, temporaryPath } from './temporary.ts'

/**
 * Creates a hard link to a plugin binary at a path, and replaces a file that is already there. Returns false if the
 * file system does not support the link or the file has too many links. In this case the caller copies the file.
 */
export function linkBinary(file: string, path: string, type: string): boolean {
  const temporary = temporaryPath(path, type)
  try {
    linkSync(file, temporary)
    renameSync(temporary, path)
    return true
  } catch {
    // The hard link failed, for example with EXDEV or EMLINK. The caller then copies the file, and reports errors of
    // the copy.
    return false
  } finally {
    // Removes a remaining temporary link. rename(2) leaves the link if both paths already are links to the same file.
    removeQuietly(temporary)
  }
}
