import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join, relative } from 'node:path'

// Maximum number of bytes that the suite reads of a file. State files are smaller; for a log the beginning is enough.
const MOST = 1024 * 1024

/** Content of a folder by relative path, with the text of files. Folder paths end in `/`. Links are not followed. */
export function contents(folder: string): Map<string, string> {
  return new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const name = relative(folder, path)
      return entry.isDirectory() ? [`${name}/`, ''] : [name, entry.isFile() ? textOf(path) : '']
    }),
  )
}

function textOf(path: string): string {
  let fd: number
  try {
    // Flags for `open`, in case a link or FIFO replaced the file after the folder was listed.
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    // the file was replaced by a link, or removed
    return ''
  }
  try {
    if (!fstatSync(fd).isFile()) return ''
    const bytes = Buffer.alloc(Math.min(MOST, fstatSync(fd).size))
    return bytes.toString('latin1', 0, readSync(fd, bytes, 0, bytes.length, 0))
  } finally {
    closeSync(fd)
  }
}
