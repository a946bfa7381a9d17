import { closeSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { LogSink } from '@cni/skel'

/** Limits of a {@link rotatingFile}. */
export interface RotatingFileOptions {
  /** From this size on the file is put aside. Default 10 MB. */
  readonly maxBytes?: number
  /** A file that was put aside longer ago than this is removed. Default two days. */
  readonly maxAgeMs?: number
}

/**
 * A log file that only root can read, opened at its first line. A full one is put aside as `<path>.1`, replacing the one
 * before. Several processes may write at once: lines are appended whole.
 */
export function rotatingFile(path: string, options: RotatingFileOptions = {}): LogSink {
  const { maxBytes = 10_000_000, maxAgeMs = 2 * 24 * 3_600_000 } = options
  let fd: number | undefined
  return {
    write(line) {
      if (fd === undefined) {
        mkdirSync(dirname(path), { recursive: true })
        rotate(path, maxBytes, maxAgeMs)
        fd = openSync(path, 'a', 0o600)
      }
      writeSync(fd, line)
    },
    async flush() {
      if (fd !== undefined) closeSync(fd)
      fd = undefined
    },
  }
}

/** A process that loses the race against another one renames nothing: by then the file is small, or not there. */
function rotate(path: string, maxBytes: number, maxAgeMs: number): void {
  const aside = `${path}.1`
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) >= maxBytes) renameSync(path, aside)
  const old = statSync(aside, { throwIfNoEntry: false })
  if (old !== undefined && Date.now() - old.mtimeMs > maxAgeMs) rmSync(aside, { force: true })
}
