import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join, relative } from 'node:path'

// Maximum number of bytes to read from a plugin's file, which may be a long log.
const MAX_BYTES = 1024 * 1024

/** Files and folders below a folder, by relative path, with the text of each file. */
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
    // Does not follow symbolic links or wait for a FIFO. Another process may have replaced the file by one.
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    // Returns an empty text: the file was removed, or replaced by a symbolic link.
    return ''
  }
  try {
    if (!fstatSync(fd).isFile()) return ''
    const bytes = Buffer.alloc(Math.min(MAX_BYTES, fstatSync(fd).size))
    return bytes.toString('latin1', 0, readSync(fd, bytes, 0, bytes.length, 0))
  } finally {
    closeSync(fd)
  }
}
