import type { SavedTables } from '../parse/saved-tables.ts'
import type { Family } from '../rules/model.ts'
import type { Backend } from '../run/backend.ts'
import type { Uncancelled } from '../run/session-options.ts'
import type { Steps } from '../steps/steps.ts'

/** Has rules written, and keeps what was. */
export interface Ledger {
  /** Has a program write steps that were planned on `before`. */
  write(backend: Backend, before: SavedTables, steps: Steps): Promise<void>
  /** What was written without one. */
  keep(backend: Backend, before: SavedTables, steps: Steps): void
}

/** What is to become of some families of a back end. */
export interface Edit extends Uncancelled {
  readonly families: readonly Family[]
  /** Planned on what a family holds, and again on what it holds then when others write meanwhile. */
  plan(seen: SavedTables): Steps
  readonly journal?: Ledger | undefined
  /** Programs give up when the same is planned again: then no one else changed what was refused. */
  readonly stopAtSame?: boolean
}
