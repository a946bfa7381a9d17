import type { Change } from '../change.ts'
import type { Health } from '../health.ts'
import type { InstallError } from '../install-error.ts'

/** Plan of a step: changes, the health of files in order, and errors. */
export interface StepPlan {
  readonly changes: readonly Change[]
  readonly health: readonly Health[]
  readonly errors: readonly InstallError[]
}

/** Plan of a step that is not configured. */
export const NOTHING: StepPlan = { changes: [], health: [], errors: [] }

/** Plan with one change. */
export function toDo(change: Change): StepPlan {
  return { ...NOTHING, changes: [change] }
}

/** Plan for a file in order. */
export function inOrder(artefact: Health['artefact'], path: string): StepPlan {
  return { ...NOTHING, health: [{ artefact, path, state: 'ok' }] }
}

/** Plan of a step that waits for another program or step. */
export function waiting(artefact: Health['artefact'], path: string, reason: string): StepPlan {
  return { ...NOTHING, health: [{ artefact, path, state: 'waiting', reason }] }
}

/** Plan of a step that cannot be made. */
export function failed(error: InstallError): StepPlan {
  return { ...NOTHING, errors: [error] }
}
