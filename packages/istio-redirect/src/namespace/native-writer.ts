import { type CaptureConfig, capturedFamilies, nativeRules, tableNames } from '@cni/istio-rules'
import type { Where } from '@cni/netns/handle'
import { nftables } from '@cni/nftables'
import { FRESH_GENERATION } from '../fresh-generation.ts'
import { removeNativeTables } from './native-tables.ts'
import type { RuleWriter } from './rule-writer.ts'

/** The rules of a configuration as nf_tables has them itself: of both families, in tables of our own, by no program. */
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
        isAlone: isFresh && generation === FRESH_GENERATION + 1,
        generation: isFresh ? generation : undefined,
      }
    },
    verify: () => kernel.verify(rules, { absent: own }),
    async remove() {
      await removeNativeTables(where)
    },
    // The tables are owned whole.
    leaveBehind: async () => {},
  }
}

/** Another mode may have had more of them: they would go on to mark and zone what nobody asked for. */
const own = { tables: tableNames.map((name) => ({ family: 'inet', name }) as const) }
