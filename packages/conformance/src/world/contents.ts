import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join, relative } from 'node:path'

// More than any cache or lease; a log that is longer has said what it has to say.
const MOST = 1024 * 1024

/** Everything in a folder, by its path there; a folder ends in `/`. With the text of files; links are not followed. */
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
    // It may have become something else in the meantime.
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    // a link now, or gone
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
