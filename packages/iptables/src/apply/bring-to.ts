import type { Snapshot } from '../parse/snapshot.ts'
import type { Family } from '../rules/model.ts'
import type { Backend } from '../run/backend.ts'
import { RestoreError } from '../run/failure.ts'
import type { Session } from '../run/session.ts'
import { withoutDangling } from '../state/revert.ts'
import { transitionText } from '../state/transition.ts'

/**
 * Reads one family, and writes what makes it the target; a write that is refused because someone else wrote meanwhile
 * is planned again. Goes on after an abort: it is the way back.
 */
export async function bringTo(
  session: Session,
  backend: Backend,
  family: Family,
  target: (now: Snapshot) => Snapshot,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const now = await session.snapshot(backend, family, uncancelled)
    try {
      const text = transitionText(now, withoutDangling(now, target(now)))
      return await session.restore(backend, family, text, uncancelled)
    } catch (error) {
      if (attempt === 3 || !(error instanceof RestoreError) || error.line === undefined) throw error
    }
  }
}

// internal

const uncancelled = { uncancelled: true } as const
