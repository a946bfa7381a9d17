import type { NetnsContext, NetnsTarget } from '@cni/netns/handle'

/** Creates the context of an ADD call that fails. `unwind` runs the undo steps. */
export function failingCall<Target extends NetnsTarget>(
  netns: Target,
): NetnsContext & { readonly netns: Target; unwind(): Promise<void>; readonly steps: number } {
  const steps: Array<() => unknown> = []
  return {
    netns,
    undo: (step: () => unknown) => void steps.push(step),
    async unwind() {
      for (let step = steps.pop(); step !== undefined; step = steps.pop()) await step()
    },
    get steps() {
      return steps.length
    },
  }
}
