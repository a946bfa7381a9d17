import type { Change } from './changes.ts'
import type { SavedSet } from './parse-save.ts'
import type { SetInfo } from './spec-types.ts'

/** Option of steps that must run after an abort: the rollback. */
export interface Uncancelled {
  readonly uncancelled?: boolean
}

/** Options of a change. */
export interface ChangeOptions extends Uncancelled {
  /** Accepts the creation of an existing set or entry, and the deletion of a missing entry. */
  readonly exist: boolean
}

/** Reads and writes the sets of a namespace. */
export interface IpsetSession {
  /** Makes changes in order, up to the first refused one. */
  change(changes: readonly Change[], options: ChangeOptions): Promise<void>
  /** A set with its entries; `undefined` if it does not exist. */
  save(name: string, options?: Uncancelled): Promise<SavedSet | undefined>
  /** All sets, without their entries. */
  list(): Promise<SetInfo[]>
  test(name: string, entry: string): Promise<boolean>
  warn(message: string, fields: Record<string, unknown>): void
}
