import type { Change } from '../change.ts'
import type { Health } from '../health.ts'
import type { InstallError } from '../install-error.ts'

/** What a step found out: what to do, how the files are that need nothing done, and what it could not do. */
export interface StepPlan {
  readonly changes: readonly Change[]
  readonly health: readonly Health[]
  readonly errors: readonly InstallError[]
}

/** The plan of a step that is not our business. */
export const NOTHING: StepPlan = { changes: [], health: [], errors: [] }

/** A plan of one change. */
export function toDo(change: Change): StepPlan {
  return { ...NOTHING, changes: [change] }
}

/** The plan for a file that is as it should be. */
export function inOrder(artefact: Health['artefact'], path: string): StepPlan {
  return { ...NOTHING, health: [{ artefact, path, state: 'ok' }] }
}

/** The plan of a step that waits for somebody else. */
export function waiting(artefact: Health['artefact'], path: string, reason: string): StepPlan {
  return { ...NOTHING, health: [{ artefact, path, state: 'waiting', reason }] }
}

/** The plan of a step that cannot be made. */
export function failed(error: InstallError): StepPlan {
  return { ...NOTHING, errors: [error] }
}
