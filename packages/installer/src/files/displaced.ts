import { closeSync, fstatSync, type Stats, statSync } from 'node:fs'
import { isObject, parseJson } from '@cni/types'
import { permissionsOf } from './permissions.ts'
import { readAll } from './read-regular.ts'

/** Maximum number of kept files. Few programs have the same configuration open at the same time. */
const MAX_FILES = 16

/** A write of another program to a file that we have already replaced. */
export interface LateWrite {
  /** Path that the file had. */
  readonly path: string
  readonly bytes: Buffer
  readonly mode: number
  readonly mtimeMs: number
  /** Confirms that the bytes of the late write are in place at the path. */
  done(): void
}

/**
 * Files that we have replaced or removed while another program may have had them open.
 * That program writes through its descriptor to a file without a name. The file stays open here, so that such a write
 * is not lost.
 */
export interface DisplacedFiles {
  /** Takes over the descriptor of the file that was at `path`, and records its replacement, if any. */
  add(path: string, old: { readonly fd: number; readonly bytes: Buffer }, successor: Stats | undefined): void
  /**
   * Writes since the last call, oldest first. Returns only complete configurations; an incomplete one is probably still
   * being written.
   */
  lateWrites(): LateWrite[]
  /** Closes all files. */
  close(): void
}

interface Displaced {
  readonly path: string
  readonly fd: number
  bytes: Buffer
}

/** Creates an empty set. */
export function displacedFiles(): DisplacedFiles {
  const files = new Set<Displaced>()
  /** Our replacement at each path. */
  const left = new Map<string, Stats | undefined>()
  const drop = (file: Displaced): void => {
    files.delete(file)
    closeSync(file.fd)
  }
  /** Late write of a file, or `undefined`. Drops a file whose path another program has replaced meanwhile. */
  const lateWrite = (file: Displaced): LateWrite | undefined => {
    const { path, fd } = file
    const there = statQuietly(path)
    const ours = left.get(path)
    if (there?.ino !== ours?.ino || there?.dev !== ours?.dev) {
      drop(file)
      return undefined
    }
    const stat = fstatSync(fd)
    const bytes = readAll(fd, path, stat.size)
    if (bytes.equals(file.bytes) || !isConfiguration(bytes)) return undefined
    const done = (): void => {
      file.bytes = bytes
    }
    const isOverwritten = there !== undefined && there.mtimeMs !== ours?.mtimeMs && there.mtimeMs > stat.mtimeMs
    if (!isOverwritten) return { path, bytes, mode: permissionsOf(stat), mtimeMs: stat.mtimeMs, done }
    done()
    return undefined
  }
  return {
    add(path, { fd, bytes }, successor) {
      left.set(path, successor)
      files.add({ path, fd, bytes })
      const [oldest] = files
      if (files.size > MAX_FILES && oldest !== undefined) drop(oldest)
    },
    lateWrites() {
      const all = [...files].flatMap((file) => {
        try {
          return lateWrite(file) ?? []
        } catch {
          // The file is larger than a configuration can be.
          return []
        }
      })
      return all.sort((a, b) => a.mtimeMs - b.mtimeMs)
    },
    close() {
      for (const file of [...files]) drop(file)
      left.clear()
    },
  }
}

function isConfiguration(bytes: Buffer): boolean {
  try {
    return isObject(parseJson(bytes, ''))
  } catch {
    // The file contains an incomplete configuration.
    return false
  }
}

function statQuietly(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    // The folder is gone, or a link is circular.
    return undefined
  }
}
