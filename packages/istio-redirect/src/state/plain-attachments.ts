import { type AttachmentKey, guardedStore, isStateError, type Listed } from '@cni/skel/state'
import type { AttachmentRecord, Attachments } from './attachments.ts'
import { attachmentsFolder } from './folder.ts'
import { isPlainRecord } from './plain-record.ts'

/** The records that a call of the plugin works with. */
export interface CallAttachments extends Pick<Attachments, 'write' | 'replace' | 'remove'> {
  read(key: AttachmentKey): Promise<AttachmentRecord | undefined>
  list(): Promise<Listed<AttachmentRecord>>
}

/** {@link Attachments} without their schema: zod is loaded only for a record that is not as the plugin writes it. */
export function callAttachments(runDir: string): CallAttachments {
  const { write, replace, remove, read, list } = guardedStore({ folder: attachmentsFolder(runDir), is: isPlainRecord })
  return {
    write,
    replace,
    remove,
    async read(key) {
      try {
        return read(key)
      } catch (error) {
        if (!isStateError(error) || error.code !== 'UNSURE') throw error
      }
      return (await import('./attachments.ts')).attachmentsIn(runDir).read(key)
    },
    async list() {
      const listed = list()
      if (listed.unreadable.every(({ code }) => code !== 'UNSURE')) return listed
      return (await import('./attachments.ts')).attachmentsIn(runDir).list()
    },
  }
}
