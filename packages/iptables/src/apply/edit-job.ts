import type { SavedTables } from '../parse/saved-tables.ts'
import type { Family } from '../rules/model.ts'
import type { Backend } from '../run/backend.ts'
import type { Uncancelled } from '../run/session-options.ts'
import type { Steps } from '../steps/steps.ts'

/** Journal of a change: writes rules, and records the rules from before each write for a rollback. */
export interface Ledger {
  /**
   * Writes planned changes of rules with an iptables program. `before` contains the rules from which the changes were
   * planned.
   */
  write(backend: Backend, before: SavedTables, steps: Steps): Promise<void>
  /** Records changes of rules that netlink has already written. */
  record(backend: Backend, before: SavedTables, steps: Steps): void
}

/** Change of the rules of one back end in some families. */
export interface Edit extends Uncancelled {
  readonly families: readonly Family[]
  /** Plans the changes to a family's current rules. Called again after another program's write. */
  plan(seen: SavedTables): Steps
  readonly journal?: Ledger | undefined
  /** True to stop if the new plan equals the refused plan: no other program caused the refusal. */
  readonly stopIfUnchanged?: boolean
}
