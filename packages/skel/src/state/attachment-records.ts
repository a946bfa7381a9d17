import type { Netns } from '@cni/netns/handle'
import { isObject } from '@cni/types'
import type { AttachmentKey } from './attachment-key.ts'
import { identityOf, type RecordedNetns, sharedReason, unrecordedReason } from './keep-reasons.ts'
import { type Listed, recordStore } from './record-store.ts'
import type { StateFolder } from './state-folder.ts'

/** Records of the attachments that a plugin has added, with their network namespaces. */
export interface AttachmentRecords {
  /** Records the attachment before the ADD handler runs. Returns a function that restores the earlier record. */
  add(key: AttachmentKey, netns: Netns): () => void
  /**
   * Reason why a DEL must not remove anything from the container's namespace; `undefined` if the DEL may remove
   * objects.
   */
  keepReason(key: AttachmentKey, netns: Netns, removal: 'last' | 'own'): string | undefined
  /** Removes the record of the attachment after its DEL. */
  remove(key: AttachmentKey): void
  /** Removes the records of a network's stale attachments: those that are missing in the list `valid`. */
  removeStale(network: string, valid: ReadonlyArray<Omit<AttachmentKey, 'network'>>): Listed<RecordedNetns>
}

/**
 * Folder with the records of a plugin's attachments. A reboot empties this folder, and also ends every network
 * namespace.
 */
export const recordsFolder = (plugin: string): string => `/run/cni/${plugin}/attachments`

/** Lists the folders that contain one file for each attachment: the records' folder and the default `state` folder. */
export const recordFolders = (plugin: string): readonly string[] => [recordsFolder(plugin), `/run/cni/${plugin}`]

/** Opens the records of a plugin's attachments. `folder` is an absolute path, or a folder in memory. */
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
    keepReason(key, netns, removal) {
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
