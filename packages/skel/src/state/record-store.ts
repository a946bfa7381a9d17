import { type AttachmentKey, fileNameOf, isStateFile } from './attachment-key.ts'
import { diskFolder } from './disk-folder.ts'
import { decodeRecord, encodeRecord } from './record.ts'
import { isStateError, StateError } from './state-error.ts'
import { MAX_BYTES, type StateFolder } from './state-folder.ts'

/** Store for the state of a plugin's attachments, with one file for each attachment. All methods are synchronous. */
export interface AttachmentStore<State> {
  /** Path of the folder with the state files. */
  readonly folder: string
  /**
   * Reads the state of an attachment; `undefined` if nothing is stored.
   *
   * @throws StateError for an unusable or unreadable state file.
   */
  read(key: AttachmentKey): State | undefined
  /**
   * Writes the state file of an attachment atomically with mode 0600. Replaces earlier state.
   *
   * @returns a function that restores the earlier state file byte for byte. It removes the file if there was no usable
   *   earlier file.
   * @throws StateError if the file cannot be written, TypeError if the schema rejects the state. In both cases nothing
   *   has changed.
   */
  write(key: AttachmentKey, state: State): () => void
  /**
   * Writes an attachment's state a second time in a call. To undo both writes, call the function that the first `write`
   * returned.
   */
  replace(key: AttachmentKey, state: State): void
  /**
   * Removes the state file of an attachment, also an unusable file. Returns true if the file existed.
   *
   * @throws StateError if the file cannot be removed.
   */
  remove(key: AttachmentKey): boolean
  /**
   * Lists the state of all attachments, and unusable state files separately.
   *
   * @param only - selects attachments. Files of other attachments are not validated. Default: all.
   */
  list(only?: (key: AttachmentKey) => boolean): {
    /** States of attachments that could be read. */
    readonly stored: ReadonlyArray<{
      /** Network, container and interface of the attachment. */
      readonly key: AttachmentKey
      /** State that the plugin has stored for the attachment. */
      readonly state: State
    }>
    /** Errors of state files that are unusable or unreadable. */
    readonly unreadable: readonly StateError[]
  }
  /** Lists the state of a network's stale attachments: those that are missing in the list `valid`. */
  stale(
    network: string,
    valid: ReadonlyArray<Omit<AttachmentKey, 'network'>>,
  ): ReturnType<AttachmentStore<State>['list']>
  /**
   * Removes the state of a network's stale attachments. Keeps unusable files.
   *
   * @throws StateError for a file that cannot be removed, after all other files are removed.
   */
  removeStale(
    network: string,
    valid: ReadonlyArray<Omit<AttachmentKey, 'network'>>,
  ): ReturnType<AttachmentStore<State>['list']>
}

/** Attachment states and unusable files that a store has found in its folder. */
export type Listed<State> = ReturnType<AttachmentStore<State>['list']>

/** Stored state of one attachment, with its network, container and interface. */
export type StoredState<State> = Listed<State>['stored'][number]

/** Options of {@link recordStore}. */
export interface RecordStoreOptions<State> {
  readonly folder: string | StateFolder
  readonly version: number | undefined
  readonly readBack: boolean
  /** Validates a stored state and returns it. Throws the error that `refuse` creates for an invalid state. */
  accept(state: unknown, refuse: (problem: string, code?: StateError['code']) => Error): State
}

/** Creates a store that keeps the state of each attachment in a file. `accept` validates the states. */
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

/** True if a text is too large for a state file. Encodes only long texts, because short texts always fit. */
const isTooLarge = (text: string): boolean =>
  3 * text.length > MAX_BYTES && new TextEncoder().encode(text).length > MAX_BYTES

function folderOf(folder: string | StateFolder): StateFolder {
  if (typeof folder !== 'string') return folder
  if (folder.startsWith('/')) return diskFolder(folder)
  throw new TypeError(`attachmentStore: folder: expected an absolute path, got ${JSON.stringify(folder)}`)
}

/** Reads the state file's text, which a failed ADD restores. `undefined` for a missing or unusable file. */
function textBefore(folder: StateFolder, name: string): string | undefined {
  try {
    return folder.read(name)
  } catch (error) {
    if (isStateError(error)) return undefined
    throw error
  }
}
