import type { Netns } from '@cni/netns/handle'
import { isObject } from '@cni/types'
import type { AttachmentKey } from './attachment-key.ts'
import { identityOf, type RecordedNetns, sharedReason, unrecordedReason } from './kept-reasons.ts'
import { type Listed, recordStore } from './record-store.ts'
import type { StateFolder } from './state-folder.ts'

/** Attachments that a plugin has added, with their namespaces. */
export interface AttachmentRecords {
  /** Records the attachment of an ADD, before its handler runs. Returns the inverse. */
  add(key: AttachmentKey, netns: Netns): () => void
  /** Reason why a DEL must not remove anything from the namespace; `undefined` if it may. */
  keptBecause(key: AttachmentKey, netns: Netns, removal: 'last' | 'own'): string | undefined
  /** Forgets the attachment after its DEL. */
  remove(key: AttachmentKey): void
  /** Forgets the attachments of a network that are no longer valid. */
  removeStale(network: string, valid: ReadonlyArray<Omit<AttachmentKey, 'network'>>): Listed<RecordedNetns>
}

/** Folder of a plugin's records. A reboot empties the folder, and ends every namespace too. */
export const recordsFolder = (plugin: string): string => `/run/cni/${plugin}/attachments`

/** Folders with a file per attachment of a plugin: its records, and its state in the default folder. */
export const recordFolders = (plugin: string): readonly string[] => [recordsFolder(plugin), `/run/cni/${plugin}`]

/** Records in a folder: an absolute path, or a folder in memory. */
export function attachmentRecords(folder: string | StateFolder): AttachmentRecords {
  const store = recordStore<RecordedNetns>({
    folder,
    version: undefined,
    readBack: false,
    accept(state, refuse) {
      if (isRecorded(state)) return state
      throw refuse('netns: expected an object with the integers dev and ino')
    },
  })
  return {
    add: (key, netns) => store.write(key, { netns: identityOf(netns) }),
    remove: (key) => void store.remove(key),
    removeStale: store.removeStale,
    keptBecause(key, netns, removal) {
      const reason = unrecordedReason(store.read(key), netns)
      if (reason !== undefined || removal === 'own') return reason
      const ofContainer = store.list(({ containerID }) => containerID === key.containerID)
      return sharedReason(ofContainer, key, netns)
    },
  }
}

// internal

const isRecorded = (state: unknown): state is RecordedNetns =>
  isObject(state) &&
  isObject(state.netns) &&
  Number.isSafeInteger(state.netns.dev) &&
  Number.isSafeInteger(state.netns.ino)
