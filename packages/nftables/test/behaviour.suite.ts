import { describe } from 'vitest'
import { changesBehaviour } from './behaviour/changes.suite.ts'
import { othersBehaviour } from './behaviour/others.suite.ts'
import { refusalsBehaviour } from './behaviour/refusals.suite.ts'
import type { World } from './behaviour/world.ts'

/** Contract tests of `@cni/nftables/wire` that run against the fake kernel and against a real kernel. */
export function behaviour(name: string, open: () => Promise<World>): void {
  describe(name, () => {
    changesBehaviour(open)
    refusalsBehaviour(open)
    othersBehaviour(open)
  })
}
