import type { Health } from '../health.ts'
import type { StepOutcome } from './step-outcome.ts'

/**
 * The work on the binaries, which may take seconds: it goes on beside the passes, so that no other file waits for it.
 */
export interface BinaryState {
  /** What is under way, and what it found so far. */
  running: { readonly end: Promise<void>; readonly found: () => readonly Health[] } | undefined
  /** What came of it, until the next pass takes it over. */
  done: StepOutcome | undefined
  /** What the last pass knew. */
  health: readonly Health[]
  /** Whether all of them have been in place. */
  wereFine: boolean
  stop: AbortController
}

/** Nothing under way. */
export function newBinaryState(): BinaryState {
  return { running: undefined, done: undefined, health: [], wereFine: false, stop: new AbortController() }
}
