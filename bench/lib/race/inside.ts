import type { Netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import type { Contender } from './contender.ts'

/** Creates a measured function that runs in this process, in a new network namespace. */
export function inside(
  name: string,
  work: (pod: Netns) => Promise<unknown>,
  before: (pod: Netns) => Promise<unknown> = async () => undefined,
): Contender {
  return {
    name,
    async prepare() {
      const pod = await tempNetns()
      await before(pod)
      return { run: () => work(pod), cleanUp: () => pod[Symbol.asyncDispose]() }
    },
  }
}
