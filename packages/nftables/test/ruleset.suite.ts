import { describe } from 'vitest'
import { applyBehaviour } from './ruleset/apply.suite.ts'
import { rollbackBehaviour } from './ruleset/rollback.suite.ts'
import { setsBehaviour } from './ruleset/sets.suite.ts'
import type { RulesetWorld } from './ruleset/world.ts'

/** Contract tests of `nftables` for rulesets and sets, which run against the fake kernel and against a real kernel. */
export function rulesetBehaviour(name: string, open: () => Promise<RulesetWorld>): void {
  describe(name, () => {
    applyBehaviour(open)
    rollbackBehaviour(open)
    setsBehaviour(open)
  })
}
