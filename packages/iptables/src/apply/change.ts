import type { IptablesBackend } from '../iptables-backend.ts'
import type { Family } from '../rules/model.ts'
import type { Session } from '../session/session.ts'
import { Journal } from './journal.ts'

/** Result of a call that changed rules in the kernel, with an `undo` function. */
export interface Change {
  /** Families whose rules the call wrote. Empty if no rule had to change. */
  readonly families: readonly Family[]
  /** Back end whose rules were changed. */
  readonly backend: IptablesBackend
  readonly durationMs: number
  /**
   * Restores the rules from before the call, without their counters. Keeps later changes by other programs. A second
   * call of `undo` does nothing.
   */
  undo(): Promise<void>
}

/** Function that registers an undo step before the first write: the `undo` member of a plugin's context. */
export type RegisterUndo = (fn: () => unknown) => void

/** Runs a change of rules, records its writes for `undo`, and creates the report of the change. */
export async function changed(
  session: Session,
  register: RegisterUndo | undefined,
  run: (journal: Journal) => Promise<void>,
): Promise<Change> {
  const started = performance.now()
  const journal = new Journal(session)
  const undo = once(() => journal.rollBack())
  register?.(undo)
  await run(journal)
  const { chosen } = await session.backends()
  return { families: journal.families, backend: chosen.kind, durationMs: performance.now() - started, undo }
}

/** Wraps a function that must run only once. After a failure, the function may run again. */
export function once(fn: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= fn().catch((error: unknown) => {
      done = undefined
      throw error
    })
    return done
  }
}
