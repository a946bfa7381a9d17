import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'

/** Something else than a file of bearable size stands where a file should be. */
export class NotRegular extends Error {}

/**
 * The text of a file, and of nothing else: a pipe or a device in its place would be waited for, for ever, and with it
 * the deadline and SIGTERM. Throws {@link NotRegular}, or the file system's error.
 */
export function readRegularFile(path: string, maxBytes: number): string {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const file = fstatSync(fd)
    if (!file.isFile()) throw new NotRegular('it is not a regular file')
    if (file.size > maxBytes) throw new NotRegular(`it has ${file.size} bytes, more than ${maxBytes}`)
    return readFileSync(fd, 'utf8')
  } finally {
    closeSync(fd)
  }
}
