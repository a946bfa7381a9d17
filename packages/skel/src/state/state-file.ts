import { type AttachmentKey, fileNameOf } from './attachment-key.ts'
import { encodeRecord } from './record.ts'

/** One file of an `attachmentStore`. */
export interface StateFile {
  /** In the store's folder. */
  readonly name: string
  /** The content of the file. */
  readonly text: string
}

/**
 * The file that an `attachmentStore` would keep a state in, for who has somebody else write it: with `diskFolder`.
 *
 * @throws TypeError when the state is no object, or has a member that every record has.
 */
export function stateFile(key: AttachmentKey, state: object, version = 1): StateFile {
  return { name: fileNameOf(key), text: encodeRecord(version, key, state) }
}
