import { describe } from 'vitest'
import { changesBehaviour } from './behaviour/changes.suite.ts'
import { othersBehaviour } from './behaviour/others.suite.ts'
import { refusalsBehaviour } from './behaviour/refusals.suite.ts'
import type { World } from './behaviour/world.ts'

/** What `@cni/nftables/wire` promises, over a fake or a real kernel. */
export function behaviour(name: string, open: () => Promise<World>): void {
  describe(name, () => {
    changesBehaviour(open)
    refusalsBehaviour(open)
    othersBehaviour(open)
  })
}
