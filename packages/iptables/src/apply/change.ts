import type { IptablesBackend } from '../iptables-backend.ts'
import type { Family } from '../rules/model.ts'
import type { Session } from '../session/session.ts'
import { Journal } from './journal.ts'

/** What a call changed, and the way back. */
export interface Change {
  /** The families in which something was written; none when everything was as it should be. */
  readonly families: readonly Family[]
  /** The back end that is in use. */
  readonly backend: IptablesBackend
  readonly durationMs: number
  /**
   * Puts back exactly what was there before the call, counters aside; what others have written since stays. A second
   * call does nothing.
   */
  undo(): Promise<void>
}

/** Registers a way back before anything is written; the `undo` of a context. */
export type RegisterUndo = (fn: () => unknown) => void

/** Runs what changes something under a journal, and makes its report. */
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

/** Does it once, whoever asks how often; again only after it failed. */
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
