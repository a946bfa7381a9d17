import { closeSync, fstatSync, type Stats, statSync } from 'node:fs'
import { isObject, parseJson } from '@cni/types'
import { permissionsOf } from './permissions.ts'
import { readAll } from './read-regular.ts'

/** Maximum number of replaced files that stay open. Few programs have the same configuration open at the same time. */
const MAX_FILES = 16

/** Late write: another program has written to the old file after the installer replaced that file. */
export interface LateWrite {
  /** Path of the configuration file before the installer replaced it. */
  readonly path: string
  readonly bytes: Buffer
  readonly mode: number
  readonly mtimeMs: number
  /** Marks the late write as restored. The caller has written the late bytes to `path`. */
  done(): void
}

/** Set of replaced files. They stay open, because other programs may still write to them. */
export interface DisplacedFiles {
  /** Adds a replaced or removed file. The caller must not close `old.fd` any more. */
  add(path: string, old: { readonly fd: number; readonly bytes: Buffer }, successor: Stats | undefined): void
  /** Returns the writes of other programs to replaced files since the last call. Skips incomplete configurations. */
  lateWrites(): LateWrite[]
  /** Closes the descriptors of all configuration files that the installer has replaced. */
  close(): void
}

interface Displaced {
  readonly path: string
  readonly fd: number
  bytes: Buffer
}

/** Creates an empty set of replaced configuration files. */
export function displacedFiles(): DisplacedFiles {
  const files = new Set<Displaced>()
  /** Map from a path to the stat of the installer's new file there. `undefined` if the installer removed the file. */
  const left = new Map<string, Stats | undefined>()
  const drop = (file: Displaced): void => {
    files.delete(file)
    closeSync(file.fd)
  }
  /** Returns another program's late write to a replaced file, if there is one. */
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
          // Another program has written more bytes to the old file than a network configuration can have. Ignores this
          // write.
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
    // The replaced file contains an incomplete network configuration: another program is probably still writing it.
    return false
  }
}

function statQuietly(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    // A file without its folder, or with a circular link, counts as missing.
    return undefined
  }
}
