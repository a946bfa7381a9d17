import type { Health } from '../health.ts'
import type { InstallError } from '../install-error.ts'

/** What steps came to. */
export interface StepOutcome {
  readonly health: Health[]
  readonly errors: InstallError[]
  /** When to look again even if nothing happens. */
  againMs: number
  /** How many changes must wait, because their file was just written. */
  postponed: number
}

/** Notes that another look is due after so many milliseconds, unless an earlier one is noted. */
export function lookAgainIn(outcome: StepOutcome, ms: number): void {
  outcome.againMs = Math.min(outcome.againMs, ms)
}
