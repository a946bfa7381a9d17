import type { IptablesBackend } from '../iptables-backend.ts'
import type { Family } from '../rules/model.ts'
import type { Session } from '../session/session.ts'
import { Journal } from './journal.ts'

/** Change that a call made, and its undo. */
export interface Change {
  /** Families that the call wrote. Empty if nothing had to change. */
  readonly families: readonly Family[]
  /** Back end that the call wrote to. */
  readonly backend: IptablesBackend
  readonly durationMs: number
  /**
   * Restores exactly the rules from before the call, except counters. Later changes by other programs stay. A second
   * call of `undo` does nothing.
   */
  undo(): Promise<void>
}

/** Registers an undo step before the first write: the `undo` member of a plugin's context. */
export type RegisterUndo = (fn: () => unknown) => void

/** Runs a change of rules with a journal and creates the report of the change. */
export async function changed(
  session: Session,
  register: RegisterUndo | undefined,
  run: (journal: Journal) => Promise<void>,
): Promise<Change> {
  const started = performance.now()
  const journal = new Journal(session)
  const undo = once(() => journal.takeBack())
  register?.(undo)
  await run(journal)
  const { chosen } = await session.backends()
  return { families: journal.families, backend: chosen.kind, durationMs: performance.now() - started, undo }
}

/** Runs a function only once for all callers. Runs it again only after a failure. */
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
