import { linkSync, renameSync } from 'node:fs'
import { removeQuietly, temporaryPath } from './temporary.ts'

/** Creates a hard link to a plugin binary at a path. Returns false if the caller must copy the binary. */
export function linkBinary(file: string, path: string, type: string): boolean {
  const temporary = temporaryPath(path, type)
  try {
    linkSync(file, temporary)
    renameSync(temporary, path)
    return true
  } catch {
    // A hard link is impossible here. The caller copies the file instead, and reports errors of copying.
    return false
  } finally {
    // Removes a remaining temporary link. rename(2) leaves the link if both paths already are links to the same file.
    removeQuietly(temporary)
  }
}
