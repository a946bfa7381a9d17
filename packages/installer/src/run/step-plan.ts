import type { Change } from '../change.ts'
import type { Health } from '../health.ts'
import type { InstallError } from '../install-error.ts'

/** Plan of an installation step: the changes, the states of files without a change, and errors. */
export interface StepPlan {
  readonly changes: readonly Change[]
  readonly health: readonly Health[]
  readonly errors: readonly InstallError[]
}

/** Plan without changes, for a file that the installer's options do not request. */
export const NOTHING: StepPlan = { changes: [], health: [], errors: [] }

/** Plan of an installation step with one change. */
export function withChange(change: Change): StepPlan {
  return { ...NOTHING, changes: [change] }
}

/** Plan of an installation step for a file that is correct. */
export function upToDate(artefact: Health['artefact'], path: string): StepPlan {
  return { ...NOTHING, health: [{ artefact, path, state: 'ok' }] }
}

/** Plan of an installation step that waits for another program or step. */
export function waiting(artefact: Health['artefact'], path: string, reason: string): StepPlan {
  return { ...NOTHING, health: [{ artefact, path, state: 'waiting', reason }] }
}

/** Plan of an installation step that has failed before it could plan a change. */
export function failed(error: InstallError): StepPlan {
  return { ...NOTHING, errors: [error] }
}
