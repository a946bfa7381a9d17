import type { IptablesBackend } from '../iptables-backend.ts'
import type { Family } from '../rules/model.ts'
import type { Session } from '../session/session.ts'
import { Journal } from './journal.ts'

/** Change that a call made, and its undo. */
export interface Change {
  /** Families that were written. Empty if nothing had to change. */
  readonly families: readonly Family[]
  /** Back end in use. */
  readonly backend: IptablesBackend
  readonly durationMs: number
  /**
   * Restores exactly the rules from before the call, except counters. Changes that other programs made since then stay.
   * A second call does nothing.
   */
  undo(): Promise<void>
}

/** Registers an undo step before the first write; the `undo` of a context. */
export type RegisterUndo = (fn: () => unknown) => void

/** Runs a change with a journal and creates its report. */
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
