import type { Change } from './changes.ts'
import type { SavedSet } from './parse-save.ts'
import type { SetInfo } from './spec-types.ts'

/** Option for the changes of a rollback: an abort by the caller does not stop these changes. */
export interface Uncancelled {
  readonly uncancelled?: boolean
}

/** Options for a call that changes IP sets. */
export interface ChangeOptions extends Uncancelled {
  /** True to ignore an error if a set or entry to add exists, or a set or entry to delete is missing. */
  readonly exist: boolean
}

/** Reads and writes the IP sets of a network namespace. */
export interface IpsetSession {
  /** Makes the changes in order. Stops at the first change that the kernel refuses. */
  change(changes: readonly Change[], options: ChangeOptions): Promise<void>
  /** Reads a set with its entries. `undefined` if the set does not exist. */
  save(name: string, options?: Uncancelled): Promise<SavedSet | undefined>
  /** All IP sets of the network namespace, without their entries. */
  list(): Promise<SetInfo[]>
  test(name: string, entry: string): Promise<boolean>
  warn(message: string, fields: Record<string, unknown>): void
}
