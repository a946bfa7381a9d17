import { type AttachmentKey, guardedStore, isStateError } from '@cni/skel/state'
import type { AttachmentRecord, Attachments } from './attachments.ts'
import { attachmentsFolder } from './folder.ts'
import { isPlainRecord } from './plain-record.ts'

/** The records that a call of the plugin works with. */
export interface CallAttachments extends Pick<Attachments, 'write' | 'replace' | 'remove'> {
  read(key: AttachmentKey): Promise<AttachmentRecord | undefined>
}

/** {@link Attachments} without their schema: zod is loaded only for a record that is not as the plugin writes it. */
export function callAttachments(runDir: string): CallAttachments {
  const { write, replace, remove, read } = guardedStore({ folder: attachmentsFolder(runDir), is: isPlainRecord })
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
  }
}
