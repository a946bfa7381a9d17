import type { Log } from '../log.ts'
import { settlesWithin } from './deadline.ts'

/** Undo step: reverts one change of an ADD. Its AbortSignal limits the undo time. */
export type UndoStep = (options: { readonly signal: AbortSignal }) => unknown

/** Undo steps of an ADD, which run in reverse order if the ADD fails. */
export interface UndoStack {
  push(step: UndoStep): void
  /** Runs all undo steps. Failures are only logged, because the runtime gets the ADD's error. */
  unwind(budget: number): Promise<void>
  /** Resolves when no undo step is running, even after the deadline. Never rejects. */
  settled(): Promise<void>
}

/** Creates an empty stack of undo steps. */
export function undoStack(log: Log): UndoStack {
  const steps: UndoStep[] = []
  const expired = new AbortController()
  let unwound = false
  let running: Promise<void> | undefined

  const run = async (step: UndoStep): Promise<void> => {
    try {
      await step({ signal: expired.signal })
    } catch (error) {
      log.warn('an undo step failed', { error })
    }
  }
  const runAll = async (): Promise<void> => {
    for (let step = steps.pop(); step !== undefined && !expired.signal.aborted; step = steps.pop()) await run(step)
  }
  const unwind = (): Promise<void> => {
    const before = running
    running = before === undefined ? runAll() : before.then(runAll)
    return running
  }

  return {
    push(step) {
      steps.push(step)
      // Runs a late undo step at once, because the ADD has already failed.
      if (unwound) void unwind()
    },
    async unwind(budget) {
      const inTime = await settlesWithin(unwind(), budget)
      unwound = true
      if (inTime) return
      expired.abort(new Error(`undo did not finish within ${budget} ms`))
      log.warn('undo did not finish in time', { budget, left: steps.length })
    },
    settled: async () => running,
  }
}
