import { linkSync, renameSync } from 'node:fs'
import { removeQuietly, temporaryPath } from './temporary.ts'

/** Links a plugin binary to a path. Returns false if a copy is needed. */
export function linkBinary(file: string, path: string, type: string): boolean {
  const temporary = temporaryPath(path, type)
  try {
    linkSync(file, temporary)
    renameSync(temporary, path)
    return true
  } catch {
    // The caller copies the file and reports errors of the copy.
    return false
  } finally {
    // Removes a remaining temporary link. rename(2) leaves the link if both paths already are links to the same file.
    removeQuietly(temporary)
  }
}
