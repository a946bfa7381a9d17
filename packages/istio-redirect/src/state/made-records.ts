import { type AttachmentStore, guardedStore } from '@cni/skel/state'
import type { AttachmentRecord } from './attachments.ts'
import { attachmentsFolder } from './folder.ts'

/** A record whose rules somebody else has made, and only who reads it has a use for. */
export type MadeRecord = Omit<AttachmentRecord, 'rules'> & { readonly rules: object }

/**
 * The same records to be written only: a `read` throws where there is a file. The schema is not loaded, nor the library that
 * it is made with.
 */
export function recordsToWrite(runDir: string): AttachmentStore<MadeRecord> {
  return guardedStore<MadeRecord>({ folder: attachmentsFolder(runDir), is: (_state): _state is MadeRecord => false })
}
