import { type AttachmentKey, fileNameOf, isStateFile } from './attachment-key.ts'
import { diskFolder } from './disk-folder.ts'
import { decodeRecord, encodeRecord } from './record.ts'
import { isStateError, StateError } from './state-error.ts'
import { MAX_BYTES, type StateFolder } from './state-folder.ts'

/** The state of all attachments of a plugin, one file each. Everything happens at once: no method waits for anything. */
export interface AttachmentStore<State> {
  /** The folder's path. */
  readonly folder: string
  /**
   * What was written; `undefined` when nothing was.
   *
   * @throws StateError for a file that says nothing usable, or that cannot be read.
   */
  read(key: AttachmentKey): State | undefined
  /**
   * Writes atomically, for the owner only (0600), over whatever was there.
   *
   * @returns a function that puts back what was there before, byte for byte, or removes the file if that was none of ours.
   * @throws StateError when it cannot be written, TypeError for a state the schema does not accept. Nothing has changed
   *   then.
   */
  write(key: AttachmentKey, state: State): () => void
  /**
   * Writes without a way back: for a second write in one call, when the first one's is registered already. It saves
   * reading what is there, half of a write's time.
   */
  replace(key: AttachmentKey, state: State): void
  /**
   * Removes the file, whatever it is; whether there was one.
   *
   * @throws StateError when it cannot be removed.
   */
  remove(key: AttachmentKey): boolean
  /**
   * What is kept; files that say nothing usable are told apart.
   *
   * @param only - chooses attachments, which saves most of the time of the others. Default: all.
   */
  list(only?: (key: AttachmentKey) => boolean): {
    /** The states that could be read. */
    readonly stored: ReadonlyArray<{
      /** Names the attachment. */
      readonly key: AttachmentKey
      /** What the plugin recorded. */
      readonly state: State
    }>
    /** Files that say nothing usable, or that cannot be read. */
    readonly unreadable: readonly StateError[]
  }
  /** What is kept of a network's attachments that are not among the valid ones. */
  stale(
    network: string,
    valid: ReadonlyArray<Omit<AttachmentKey, 'network'>>,
  ): ReturnType<AttachmentStore<State>['list']>
  /**
   * Removes just that, and what killed processes left half written. Files that say nothing usable are left alone.
   *
   * @throws StateError, after all others, for a file that cannot be removed.
   */
  removeStale(
    network: string,
    valid: ReadonlyArray<Omit<AttachmentKey, 'network'>>,
  ): ReturnType<AttachmentStore<State>['list']>
}

/** What was found in a folder. */
export type Listed<State> = ReturnType<AttachmentStore<State>['list']>

/** What was found of one attachment. */
export type StoredState<State> = Listed<State>['stored'][number]

/** What a store keeps, and how it knows it. */
export interface RecordStoreOptions<State> {
  readonly folder: string | StateFolder
  readonly version: number | undefined
  readonly readBack: boolean
  /** Gives back a state, or throws; what is wrong with it, `refuse` makes an error of. */
  accept(state: unknown, refuse: (problem: string, code?: StateError['code']) => Error): State
}

/** A store of records in files, whatever it is that knows its states. */
export function recordStore<State>(options: RecordStoreOptions<State>): AttachmentStore<State> {
  const { version = 1, readBack } = options
  const folder = folderOf(options.folder)
  const pathOf = (name: string): string => `${folder.path}/${name}`

  const readFile = (name: string, only?: (key: AttachmentKey) => boolean): StoredState<State> | undefined => {
    const text = folder.read(name)
    if (text === undefined) return undefined
    const path = pathOf(name)
    const { key, state } = decodeRecord(version, path, text)
    if (only?.(key) === false) return undefined
    if (fileNameOf(key) !== name) throw new StateError('OTHER_ATTACHMENT', path, 'it describes another attachment')
    return { key, state: options.accept(state, (problem, code = 'INVALID') => new StateError(code, path, problem)) }
  }
  const list: AttachmentStore<State>['list'] = (only) => {
    const stored: StoredState<State>[] = []
    const unreadable: StateError[] = []
    for (const name of folder.list().filter(isStateFile)) {
      try {
        const found = readFile(name, only)
        if (found !== undefined) stored.push(found)
      } catch (error) {
        if (!isStateError(error)) throw error
        unreadable.push(error)
      }
    }
    return { stored, unreadable }
  }

  const stale: AttachmentStore<State>['stale'] = (network, valid) => {
    const keep = new Set(valid.map(({ containerID, ifName }) => fileNameOf({ network, containerID, ifName })))
    const { stored, unreadable } = list()
    return { stored: stored.filter(({ key }) => key.network === network && !keep.has(fileNameOf(key))), unreadable }
  }

  const put = (name: string, key: AttachmentKey, state: State): void => {
    const text = encodeRecord(version, key, state)
    if (isTooLarge(text)) {
      throw new StateError('TOO_LARGE', pathOf(name), `a state of ${text.length} characters is not kept`)
    }
    if (readBack) {
      options.accept(decodeRecord(version, pathOf(name), text).state, (problem) => new TypeError(`state: ${problem}`))
    }
    folder.write(name, text)
  }

  return {
    folder: folder.path,
    list,
    stale,
    read: (key) => readFile(fileNameOf(key))?.state,
    replace: (key, state) => put(fileNameOf(key), key, state),
    write(key, state) {
      const name = fileNameOf(key)
      const before = textBefore(folder, name)
      put(name, key, state)
      return () => {
        if (before === undefined) folder.remove(name)
        else folder.write(name, before)
      }
    },
    remove: (key) => folder.remove(fileNameOf(key)),
    removeStale(network, valid) {
      const { stored, unreadable } = stale(network, valid)
      const failures: StateError[] = []
      const removed = stored.filter(({ key }) => {
        try {
          return folder.remove(fileNameOf(key))
        } catch (error) {
          if (!isStateError(error)) throw error
          failures.push(error)
          return false
        }
      })
      folder.sweep()
      if (failures[0] !== undefined) throw failures[0]
      return { stored: removed, unreadable }
    },
  }
}

// internal

/** A character has at most three bytes: those of a short text are not counted. */
const isTooLarge = (text: string): boolean =>
  3 * text.length > MAX_BYTES && new TextEncoder().encode(text).length > MAX_BYTES

function folderOf(folder: string | StateFolder): StateFolder {
  if (typeof folder !== 'string') return folder
  if (folder.startsWith('/')) return diskFolder(folder)
  throw new TypeError(`attachmentStore: folder: expected an absolute path, got ${JSON.stringify(folder)}`)
}

/** The text to put back; `undefined` also for what was no file of ours, which is replaced and not missed. */
function textBefore(folder: StateFolder, name: string): string | undefined {
  try {
    return folder.read(name)
  } catch (error) {
    if (isStateError(error)) return undefined
    throw error
  }
}
