import { readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '@cni/types'
import { type Candidates, candidatesOf } from '../conf/candidate.ts'
import { type ConfFacts, confFacts, mayHold } from '../conf/conf-facts.ts'
import { isConfName } from '../conf/conf-name.ts'
import { isNotFound, toInstallError } from '../install-error.ts'
import { listNames } from './list-names.ts'
import { readRegular, type Snapshot } from './read-regular.ts'

/** Result of one scan of a CNI network folder. */
export interface NetFiles {
  /** Parsed properties of each configuration file, by file name. */
  readonly facts: ReadonlyMap<string, ConfFacts>
  readonly candidates: Candidates
  /** Names of the configuration files that may contain the plugin, because the plugin's type occurs in their text. */
  readonly suspects: readonly string[]
  /** True if the scan has found this configuration file, readable or not. */
  has(name: string): boolean
  /** Configuration file as the scan has read it. `undefined` if the file is unreadable. */
  read(name: string): Snapshot | undefined
}

/** Scans a CNI network folder repeatedly, and caches its files between the scans. */
export interface NetReader {
  /**
   * Scans the CNI network folder. Reads the files named in `fresh` even if they are unchanged.
   *
   * @returns `undefined` if the folder does not exist.
   */
  scan(fresh?: ReadonlySet<string>): NetFiles | undefined
}

/** Properties of a configuration file that the reader caches between two scans of the CNI network folder. */
interface Known {
  readonly facts: ConfFacts
  /** True if the file may contain the plugin's type, literally or with JSON escapes. */
  readonly isSuspect: boolean
  /** Stat of the configuration file. `undefined` if the next scan must read the file again. */
  readonly stat: Stats | undefined
}

/** Creates a reader that skips unchanged files, because thousands of files would delay a repair. */
export function netReader(netDir: string, type: string): NetReader {
  let known: ReadonlyMap<string, Known> = new Map()
  return {
    scan(fresh) {
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

/** Lists the CNI network folder. A symbolic link counts as a file, even if its target is a folder. */
function entriesOf(netDir: string): Map<string, 'file' | 'folder'> | undefined {
  try {
    const entries = readdirSync(netDir, { withFileTypes: true })
    return new Map(entries.map((one) => [one.name, one.isDirectory() ? 'folder' : 'file']))
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw toInstallError(error, 'cannot read the net folder', netDir)
  }
}

/** Existing sub-folders whose files container runtimes append to a plugin list in the CNI network folder. */
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
    // The file is a circular symbolic link, so it has no stat.
    return undefined
  }
}

function readQuietly(path: string): Snapshot | undefined {
  try {
    return readRegular(path)
  } catch {
    // The file is unreadable. The scan has already reported it, unless the file has changed since the scan.
    return undefined
  }
}

/** Stat of a file; `undefined` if a later write could get the same timestamp. */
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
