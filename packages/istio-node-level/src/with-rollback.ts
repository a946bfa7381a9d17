import type { NetnsTarget } from '@cni/netns'
import { messageOf } from '@cni/types'
import type { RollbackNamespace } from './rules.ts'

/** Runs a function, and runs the registered rollback steps if the function fails. */
export async function withRollback<T>(
  work: (inNamespace: (netns: NetnsTarget) => RollbackNamespace) => Promise<T>,
): Promise<T> {
  const steps: (() => unknown)[] = []
  try {
    return await work((netns) => ({ netns, undo: (step) => void steps.push(step) }))
  } catch (error) {
    const failures: unknown[] = []
    // Iterates over a copy: rollback steps may register further steps, which must not run.
    for (const step of steps.toReversed()) {
      try {
        await step()
      } catch (failure) {
        failures.push(failure)
      }
    }
    if (failures.length === 0) throw error
    const text = `${messageOf(error)}; and the rollback failed too: ${failures.map(messageOf).join('; ')}`
    throw new AggregateError([error, ...failures], text, { cause: error })
  }
}
