import { closeSync, fstatSync, type Stats, statSync } from 'node:fs'
import { isObject, parseJson } from '@cni/types'
import { permissionsOf } from './permissions.ts'
import { readAll } from './read-regular.ts'

/** More than one program at a time rarely has the same configuration open. */
const MAX_FILES = 16

/** What another program wrote to a file after its name was given to a new one. */
export interface LateWrite {
  /** The name that the file had. */
  readonly path: string
  readonly bytes: Buffer
  readonly mode: number
  readonly mtimeMs: number
  /** To be called when the bytes are in place. */
  done(): void
}

/**
 * Files that were replaced or removed while another program may have had them open. What it writes through its descriptor
 * goes to a file without a name; kept open here, it is not lost.
 */
export interface DisplacedFiles {
  /** Takes over the descriptor of the file that was at `path`, and notes the one that we put there, if any. */
  add(path: string, old: { readonly fd: number; readonly bytes: Buffer }, successor: Stats | undefined): void
  /** What was written since, oldest first: whole configurations only, for the rest of a part is still to come. */
  lateWrites(): LateWrite[]
  /** Lets go of all of them. */
  close(): void
}

interface Displaced {
  readonly path: string
  readonly fd: number
  bytes: Buffer
}

/** No file yet. */
export function displacedFiles(): DisplacedFiles {
  const files = new Set<Displaced>()
  /** What we put at each path. */
  const left = new Map<string, Stats | undefined>()
  const drop = (file: Displaced): void => {
    files.delete(file)
    closeSync(file.fd)
  }
  /** The late write of a file, or undefined; a file whose place another program has taken is dropped. */
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
          // larger than a configuration can be
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
    // a part of one
    return false
  }
}

function statQuietly(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    // the folder is gone, or a link in a circle is there
    return undefined
  }
}
