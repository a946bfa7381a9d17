import type { Change } from './changes.ts'
import type { SavedSet } from './parse-save.ts'
import type { SetInfo } from './spec-types.ts'

/** For steps that must still run after an abort: taking back what was written. */
export interface Uncancelled {
  readonly uncancelled?: boolean
}

/** How to change. */
export interface ChangeOptions extends Uncancelled {
  /** Be content with what exists already, or is gone already. */
  readonly exist: boolean
}

/** The sets of one namespace, read and written. */
export interface IpsetSession {
  /** Makes changes one after the other, up to the first that is refused. */
  change(changes: readonly Change[], options: ChangeOptions): Promise<void>
  /** One set with its entries, `undefined` when there is none. */
  save(name: string, options?: Uncancelled): Promise<SavedSet | undefined>
  /** All sets without their entries. */
  list(): Promise<SetInfo[]>
  test(name: string, entry: string): Promise<boolean>
  warn(message: string, fields: Record<string, unknown>): void
}
