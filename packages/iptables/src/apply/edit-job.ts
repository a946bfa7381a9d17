import type { SavedTables } from '../parse/saved-tables.ts'
import type { Family } from '../rules/model.ts'
import type { Backend } from '../run/backend.ts'
import type { Uncancelled } from '../run/session-options.ts'
import type { Steps } from '../steps/steps.ts'

/** Writes rules and records the previous rules for a rollback. */
export interface Ledger {
  /** Writes steps with a program. `before` contains the rules for which the steps were planned. */
  write(backend: Backend, before: SavedTables, steps: Steps): Promise<void>
  /** Records steps that were written by netlink. */
  keep(backend: Backend, before: SavedTables, steps: Steps): void
}

/** Change of some families of a back end. */
export interface Edit extends Uncancelled {
  readonly families: readonly Family[]
  /** Plans the steps for the current rules of a family. Runs again if another program writes between read and write. */
  plan(seen: SavedTables): Steps
  readonly journal?: Ledger | undefined
  /** If true, programs stop when a new plan equals the refused plan: no other program has changed the refused rules. */
  readonly stopAtSame?: boolean
}
