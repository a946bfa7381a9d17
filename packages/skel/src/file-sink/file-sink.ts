import { closeSync, constants, fstatSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { checkPositive, unexpected } from '../checks.ts'
import type { LogSink } from '../log.ts'
import { type Limits, rotate } from './rotate.ts'

/**
 * Creates a log file that only its owner can read. Opens the file at the first line of a call. Several processes may
 * write at once: each line is appended as a whole.
 *
 * Rejects a link or a device in place of the log file. After a failed write, the call does not use the file any more.
 *
 * @throws TypeError for a path that is not absolute, and for invalid limits.
 * @example
 * ```ts
 * definePlugin({ name: 'tag', log: () => ({ sinks: [fileSink({ path: '/var/log/cni/tag.log', keep: 3 })] }), add })
 * ```
 */
export function fileSink(options: {
  /** Absolute path of the log file. A missing folder is created. */
  readonly path: string
  /** Size in bytes at which the next call renames the log file to a backup. Default: 10 MB. */
  readonly maxBytes?: number
  /** Number of backups of the log file, named `<path>.1` (the newest), `<path>.2` and so on. Default: 1. */
  readonly keep?: number
  /** Milliseconds after which backups of the log file are removed. Default: never. */
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
      // Writes the line's remaining bytes. This second write throws an error if the disk is full.
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
  // Opens the log file as non-blocking, because a named pipe may have no reader.
  const fd = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
  const file = fstatSync(fd)
  // Rejects a log file with a second hard link, which may be another user's file.
  if (file.isFile() && file.nlink <= 1) return fd
  closeSync(fd)
  throw new Error(`log file ${path}: ${file.isFile() ? 'it has a second name' : 'not a regular file'}`)
}
