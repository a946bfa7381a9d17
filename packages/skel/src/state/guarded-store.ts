import type { Guard } from '../plain/guards.ts'
import { type AttachmentStore, recordStore } from './record-store.ts'
import type { StateFolder } from './state-folder.ts'

/** What {@link guardedStore} is told. */
export interface GuardedStoreOptions<State> {
  /** As for `attachmentStore`, as is `version`. */
  readonly folder: string | StateFolder
  /** Vouches for states that the schema of the other store accepts, and changes nothing in. */
  readonly is: Guard<State>
  /** The version of the states, as for `attachmentStore`. */
  readonly version?: number
}

/**
 * The files of an `attachmentStore` for who does without its schema, and does not load zod: what a cheap look does not vouch
 * for is a StateError `UNSURE`, which says nothing of the file; the other store has to read it then. Nothing is looked at
 * before it is written.
 */
export function guardedStore<State>({ folder, is, version }: GuardedStoreOptions<State>): AttachmentStore<State> {
  return recordStore<State>({
    folder,
    version,
    readBack: false,
    accept(state, refuse) {
      if (is(state)) return state
      throw refuse('only its schema can tell what it says', 'UNSURE')
    },
  })
}
