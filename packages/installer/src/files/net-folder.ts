import { readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '@cni/types'
import { type Candidates, candidatesOf } from '../conf/candidate.ts'
import { type ConfFacts, confFacts, mayHold } from '../conf/conf-facts.ts'
import { isConfName } from '../conf/conf-name.ts'
import { isNotFound, toInstallError } from '../install-error.ts'
import { listNames } from './list-names.ts'
import { readRegular, type Snapshot } from './read-regular.ts'

/** A scan of a net folder. */
export interface NetFiles {
  /** Facts of each file by name. */
  readonly facts: ReadonlyMap<string, ConfFacts>
  readonly candidates: Candidates
  /** Files that may contain the plugin, by name. No other file contains it. */
  readonly suspects: readonly string[]
  /** True if there is a configuration file of this name, also an unreadable one. */
  has(name: string): boolean
  /** File as the scan has found it, for replacing it; `undefined` if it is unreadable. */
  read(name: string): Snapshot | undefined
}

/** Scans a net folder repeatedly. */
export interface NetReader {
  /**
   * Reads the files that have changed since the last scan, and the files in `fresh` in any case.
   *
   * @returns `undefined` if the folder does not exist.
   */
  look(fresh?: ReadonlySet<string>): NetFiles | undefined
}

/** Cached data of a file. */
interface Known {
  readonly facts: ConfFacts
  /** True if its text contains the plugin's type, or may contain it with escapes. */
  readonly isSuspect: boolean
  /** Stat of the file. `undefined` if a later change could have the same timestamps; the file is then read again. */
  readonly stat: Stats | undefined
}

/**
 * Creates a reader. It skips files whose timestamps have not changed: thousands of other configurations must not delay
 * the heal of the primary.
 */
export function netReader(netDir: string, type: string): NetReader {
  let known: ReadonlyMap<string, Known> = new Map()
  return {
    look(fresh) {
      const found = entriesOf(netDir)
      const names = [...(found?.keys() ?? [])]
      const now = new Map<string, Known>()
      const snapshots = new Map<string, Snapshot>()
      const add = (name: string): Known => {
        const path = join(netDir, name)
        const before = fresh?.has(name) ? undefined : known.get(name)
        const isSame = before !== undefined && isStill(path, before.stat)
        const read = (): Known => readKnown(path, type, (file) => snapshots.set(name, file))
        const one = found?.get(name) === 'folder' ? FOLDER : isSame ? before : read()
        now.set(name, one)
        return one
      }
      const lists = names.filter(isConfName).map(add)
      for (const folder of foldersOf(lists, new Set(names))) {
        for (const one of listNames(join(netDir, folder))) if (one.endsWith('.conf')) add(`${folder}/${one}`)
      }
      known = now
      return found === undefined ? undefined : filesOf(netDir, now, snapshots)
    },
  }
}

function filesOf(netDir: string, known: ReadonlyMap<string, Known>, snapshots: Map<string, Snapshot>): NetFiles {
  const facts = new Map([...known].map(([name, one]) => [name, one.facts]))
  return {
    facts,
    candidates: candidatesOf(facts),
    suspects: [...known].flatMap(([name, one]) => (one.isSuspect ? [name] : [])),
    has: (name) => known.has(name),
    read(name) {
      const file = snapshots.get(name) ?? (known.has(name) ? readQuietly(join(netDir, name)) : undefined)
      if (file !== undefined) snapshots.set(name, file)
      return file
    },
  }
}

/** Kind of each name. A link counts as a file, whatever its target. */
function entriesOf(netDir: string): Map<string, 'file' | 'folder'> | undefined {
  try {
    const entries = readdirSync(netDir, { withFileTypes: true })
    return new Map(entries.map((one) => [one.name, one.isDirectory() ? 'folder' : 'file']))
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw toInstallError(error, 'cannot read the net folder', netDir)
  }
}

/** Existing folders whose files belong to lists. */
function foldersOf(lists: readonly Known[], names: ReadonlySet<string>): Set<string> {
  return new Set(lists.flatMap(({ facts: { folder } }) => (folder !== undefined && names.has(folder) ? [folder] : [])))
}

function readKnown(path: string, type: string, keep: (file: Snapshot) => void): Known {
  const began = Date.now()
  try {
    const file = readRegular(path)
    if (file === undefined) return unreadable('a dangling link, or gone')
    keep(file)
    const { bytes, stat } = file
    const isSuspect = mayHold(bytes, type)
    return { facts: confFacts(path, bytes, type), isSuspect, stat: lasting(stat, began) }
  } catch (error) {
    return { ...unreadable(messageOf(error)), stat: lasting(statQuietly(path), began) }
  }
}

const FOLDER: Known = {
  facts: { types: [], problem: 'it is not a file but a folder', isUnreadable: true, isFolder: true },
  isSuspect: false,
  stat: undefined,
}

function unreadable(problem: string): Known {
  return { facts: { types: [], problem, isUnreadable: true }, isSuspect: false, stat: undefined }
}

function statQuietly(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    // The file is a circular symbolic link.
    return undefined
  }
}

function readQuietly(path: string): Snapshot | undefined {
  try {
    return readRegular(path)
  } catch {
    // The scan has reported the file, or the file has changed since.
    return undefined
  }
}

/**
 * Timestamps have a resolution of milliseconds, on some file systems of one or two seconds. Two writes within this time
 * can have the same timestamp.
 * So a timestamp is only reliable if it was older than that when the file was read.
 */
function lasting(stat: Stats | undefined, began: number): Stats | undefined {
  if (stat === undefined) return undefined
  const tickMs = stat.ctimeMs % 1000 === 0 ? 3000 : 100
  return Math.abs(began - stat.ctimeMs) > tickMs ? stat : undefined
}

function isStill(path: string, before: Stats | undefined): boolean {
  if (before === undefined) return false
  const now = statQuietly(path)
  return (
    now !== undefined &&
    now.ino === before.ino &&
    now.ctimeMs === before.ctimeMs &&
    now.mtimeMs === before.mtimeMs &&
    now.size === before.size &&
    now.dev === before.dev
  )
}
