import { readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '@cni/types'
import { type Candidates, candidatesOf } from '../conf/candidate.ts'
import { type ConfFacts, confFacts, mayHold } from '../conf/conf-facts.ts'
import { isConfName } from '../conf/conf-name.ts'
import { isNotFound, toInstallError } from '../install-error.ts'
import { listNames } from './list-names.ts'
import { readRegular, type Snapshot } from './read-regular.ts'

/** A net folder as it was looked at. */
export interface NetFiles {
  /** The facts of each file by its name. */
  readonly facts: ReadonlyMap<string, ConfFacts>
  readonly candidates: Candidates
  /** Files that the plugin may be in, by name; it is in no other. */
  readonly suspects: readonly string[]
  /** Whether there is a configuration file of this name, readable or not. */
  has(name: string): boolean
  /** A file as this look found it, for replacing it; `undefined` when it cannot be read. */
  read(name: string): Snapshot | undefined
}

/** Looks at a net folder again and again. */
export interface NetReader {
  /**
   * Reads what was changed since the last look, and the files that are named here whatever their stamps say.
   *
   * @returns `undefined` when the folder does not exist.
   */
  look(fresh?: ReadonlySet<string>): NetFiles | undefined
}

/** What is remembered of a file. */
interface Known {
  readonly facts: ConfFacts
  /** Whether the plugin's type is in its text, or could be with escapes. */
  readonly isSuspect: boolean
  /** The file these were read from; `undefined` when another text may have the same stamps. */
  readonly stat: Stats | undefined
}

/**
 * A reader that has not looked yet. Nodes have a handful of configurations; thousands must not slow down the heal of the
 * one that counts, so a file whose stamps say that it is the same is not read again.
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

/** The kind of each name; a link is a file, whatever it leads to. */
function entriesOf(netDir: string): Map<string, 'file' | 'folder'> | undefined {
  try {
    const entries = readdirSync(netDir, { withFileTypes: true })
    return new Map(entries.map((one) => [one.name, one.isDirectory() ? 'folder' : 'file']))
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw toInstallError(error, 'cannot read the net folder', netDir)
  }
}

/** The folders, of those that are there, whose files belong to lists. */
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
    // links in a circle
    return undefined
  }
}

function readQuietly(path: string): Snapshot | undefined {
  try {
    return readRegular(path)
  } catch {
    // this look has said so of the file, or it was changed since
    return undefined
  }
}

/**
 * The clock that stamps files ticks every few milliseconds, on some file systems every second or two: what is written
 * twice within a tick has the same stamps. A stamp that is older than a tick at the time of reading is not given again.
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
