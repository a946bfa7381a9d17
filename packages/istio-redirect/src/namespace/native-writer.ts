import { type CaptureConfig, capturedFamilies, nativeRules, tableNames } from '@cni/istio-rules'
import type { Where } from '@cni/netns/handle'
import { nftables } from '@cni/nftables'
import { INITIAL_GENERATION } from '../initial-generation.ts'
import { removeNativeTables } from './native-tables.ts'
import type { RuleWriter } from './rule-writer.ts'

/** Creates a rule writer that writes nftables over netlink, without running a program. */
export function nativeWriter(where: Where, config: CaptureConfig): RuleWriter {
  const rules = nativeRules(config)
  const kernel = nftables(where)
  return {
    rules,
    backend: async () => 'nftables',
    async apply() {
      const { plan, durationMs, generation } = await kernel.apply(rules, { absent: own })
      const report = { plan, families: capturedFamilies(config), backend: 'nftables', durationMs } as const
      const isFresh = plan === 'fresh'
      return {
        report,
        isAlone: isFresh && generation === INITIAL_GENERATION + 1,
        generation: isFresh ? generation : undefined,
      }
    },
    verify: () => kernel.verify(rules, { absent: own }),
    async remove() {
      await removeNativeTables(where)
    },
    // Removes nothing, because `apply` replaces the plugin's tables as a whole.
    removeObsolete: async () => {},
  }
}

/** All tables that the plugin may write. Tables of an earlier configuration must be removed. */
const own = { tables: tableNames.map((name) => ({ family: 'inet', name }) as const) }
