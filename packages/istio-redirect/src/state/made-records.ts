import { type AttachmentStore, attachmentStore } from '@cni/skel/state'
import type { AttachmentRecord } from './attachments.ts'
import { attachmentsFolder } from './folder.ts'

/** A record whose rules somebody else has made, and only who reads it has a use for. */
export type MadeRecord = Omit<AttachmentRecord, 'rules'> & { readonly rules: object }

/**
 * The same records to be written only: a `read` throws where there is a file. The schema is not loaded, nor the library that
 * it is made with.
 */
export function recordsToWrite(runDir: string): AttachmentStore<MadeRecord> {
  return attachmentStore<MadeRecord>({ folder: attachmentsFolder(runDir), schema: unreadable, readBack: false })
}

function unreadable(): never {
  throw new Error('what is recorded already is not for here to read')
}
