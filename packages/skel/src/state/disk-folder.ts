import { lstatSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { insecurity, writeFileAtomic } from '@cni/host'
import { errnoOf, messageOf } from '@cni/types'
import { readStateFile } from './read-state-file.ts'
import { isStateError, StateError } from './state-error.ts'
import type { StateFolder } from './state-folder.ts'

/** Milliseconds after which a partially written state file counts as abandoned: longer than any CNI call. */
const ABANDONED = 3_600_000

/**
 * Opens a folder on disk for state files. The first write creates the folder, accessible to its owner only.
 *
 * @example
 * const made = diskFolder('/run/cni/tag/made')
 * made.write('marks.json', JSON.stringify([1337]))
 */
export function diskFolder(path: string): StateFolder {
  return {
    path,
    read(name) {
      const file = `${path}/${name}`
      return attempt(file, 'read', () => (isThere(path, file) ? readStateFile(file) : undefined))
    },
    write(name, text) {
      const file = `${path}/${name}`
      attempt(file, 'written', () => {
        if (!isThere(path, file)) {
          mkdirSync(dirname(path), { recursive: true })
          mkdirSync(path, { recursive: true, mode: 0o700 })
          // Checks the state folder again: another process may have created the folder meanwhile, with unsafe
          // permissions.
          isThere(path, file)
        }
        writeFileAtomic(file, text, { mode: 0o600 })
        return undefined
      })
    },
    remove(name) {
      const found = names(path).filter((each) => each === name || halfOf(each) === name)
      for (const each of found) removeFile(`${path}/${each}`)
      return found.includes(name)
    },
    list: () => names(path).filter((name) => halfOf(name) === undefined),
    sweep() {
      const halves = names(path).filter((name) => halfOf(name) !== undefined)
      for (const file of halves.map((name) => `${path}/${name}`)) if (isAbandoned(file)) removeFile(file)
    },
  }
}

// internal

/** Name of the state file to which a temporary file belongs. Killed processes leave temporary files. */
const halfOf = (name: string): string | undefined => /^\.(.+)\.\w+\.tmp$/.exec(name)?.[1]

function names(path: string): string[] {
  return attempt(path, 'read', () => readdirSync(path).sort()) ?? []
}

function removeFile(file: string): void {
  attempt(file, 'removed', () => rmSync(file, { force: true }))
}

function isAbandoned(file: string): boolean {
  return Date.now() - (lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Number.NaN) > ABANDONED
}

/** Rejects an insecure state folder. Does not change the folder's mode, because the folder may be /run. */
function isThere(path: string, file: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false })
  const reason = stat && insecurity(stat)
  if (reason === undefined) return stat !== undefined
  throw new StateError('INSECURE', file, `its folder ${reason}`, {
    hint: `only its owner may write to ${path}: chown root, chmod 700`,
  })
}

/** Runs a step on a state file. A missing file or folder is an error only in a write. */
function attempt<T>(file: string, what: 'read' | 'written' | 'removed', step: () => T): T | undefined {
  try {
    return step()
  } catch (error) {
    const errno = errnoOf(error)
    if (what !== 'written' && (errno === 'ENOENT' || errno === 'ENOTDIR')) return undefined
    if (isStateError(error)) throw error
    throw new StateError(errno ?? 'UNKNOWN', file, `it cannot be ${what}: ${messageOf(error)}`, {
      cause: error,
      hint: 'is the folder on a file system that is mounted, writable and not full?',
    })
  }
}
