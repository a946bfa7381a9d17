import type { NetnsTarget } from '@cni/netns'
import { messageOf } from '@cni/types'
import type { Undone } from './rules.ts'

/** Does a piece of work as a whole: when it fails, what it changed in namespaces is changed back, the latest first. */
export async function undoneOnFailure<T>(work: (within: (netns: NetnsTarget) => Undone) => Promise<T>): Promise<T> {
  const steps: (() => unknown)[] = []
  try {
    return await work((netns) => ({ netns, undo: (step) => void steps.push(step) }))
  } catch (error) {
    const failures: unknown[] = []
    // A copy: what inverse steps change registers steps itself, which nobody wants.
    for (const step of steps.toReversed()) {
      try {
        await step()
      } catch (failure) {
        failures.push(failure)
      }
    }
    if (failures.length === 0) throw error
    const text = `${messageOf(error)}; and taking back what was changed failed too: ${failures.map(messageOf).join('; ')}`
    throw new AggregateError([error, ...failures], text, { cause: error })
  }
}
