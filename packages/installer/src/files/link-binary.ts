import { linkSync, renameSync } from 'node:fs'
import { removeQuietly, temporaryPath } from './temporary.ts'

/**
 * Creates a hard link to a file at a path, and replaces a file there.
 * Returns false if the file system does not support the link or has too many; the caller then copies.
 */
export function linkBinary(file: string, path: string, type: string): boolean {
  const temporary = temporaryPath(path, type)
  try {
    linkSync(file, temporary)
    renameSync(temporary, path)
    return true
  } catch {
    // Errors such as EXDEV, EPERM, EMLINK or ENOTSUP. The caller then copies the file, and reports errors of the copy.
    return false
  } finally {
    // Renaming one link over another link of the same file keeps both.
    removeQuietly(temporary)
  }
}
