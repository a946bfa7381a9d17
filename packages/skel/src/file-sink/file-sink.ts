import { closeSync, constants, fstatSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { checkPositive, unexpected } from '../checks.ts'
import type { LogSink } from '../log.ts'
import { type Limits, rotate } from './rotate.ts'

/**
 * A log file only its owner can read, opened at the first line of a call and closed at its end. Several processes may
 * write at once: each line is appended as a whole.
 *
 * A link or a device in the place of the file is refused, and what is behind it left alone. Like any sink that throws,
 * for a full disk as well, the file is then left out for the rest of the call, which goes on.
 *
 * @throws TypeError for a path that is not absolute and for limits that are none.
 * @example
 * ```ts
 * definePlugin({ name: 'tag', log: () => ({ sinks: [fileSink({ path: '/var/log/cni/tag.log', keep: 3 })] }), add })
 * ```
 */
export function fileSink(options: {
  /** Absolute: the working directory is the runtime's. Its folder is made when it is not there. */
  readonly path: string
  /** A call that finds the file this large puts it aside first. 10 MB when not said. */
  readonly maxBytes?: number
  /** How many files that were put aside are kept, as `<path>.1`, the newest, `<path>.2` …; 1 when not said. */
  readonly keep?: number
  /** Milliseconds: files that were put aside longer ago are removed. Never when not said. */
  readonly maxAge?: number
}): LogSink {
  const { path, maxBytes = 10_000_000, keep = 1, maxAge = Infinity } = options
  if (typeof path !== 'string' || !path.startsWith('/')) throw unexpected('fileSink: path', 'an absolute path', path)
  checkPositive('fileSink: maxBytes', maxBytes, 'a number of bytes')
  if (!(Number.isInteger(keep) && keep >= 0)) throw unexpected('fileSink: keep', 'a whole number from 0 on', keep)
  checkPositive('fileSink: maxAge', maxAge, 'milliseconds')
  const limits: Limits = { maxBytes, keep, maxAge }
  let fd: number | undefined
  return {
    write(line) {
      fd ??= openLog(path, limits)
      const bytes = new TextEncoder().encode(line)
      const written = writeSync(fd, bytes)
      // The disk is full just now: the next attempt says so.
      if (written < bytes.length) writeSync(fd, bytes.subarray(written))
    },
    async flush() {
      if (fd !== undefined) closeSync(fd)
      fd = undefined
    },
  }
}

function openLog(path: string, limits: Limits): number {
  mkdirSync(dirname(path), { recursive: true })
  rotate(path, limits)
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants
  // A pipe in its place must not make the open wait for a reader.
  const fd = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
  const file = fstatSync(fd)
  // A second name of the file is somebody else's file: in a folder others can write to, they may have put it there.
  if (file.isFile() && file.nlink <= 1) return fd
  closeSync(fd)
  throw new Error(`log file ${path}: ${file.isFile() ? 'it has a second name' : 'not a regular file'}`)
}
