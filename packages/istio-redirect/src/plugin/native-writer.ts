import type { Where } from '@cni/netns/handle'
import { nftables } from '@cni/nftables'
import { CniError } from '@cni/types'
import type { CaptureConfig } from '../redirect/config.ts'
import { nativeRules } from '../redirect/native/rules.ts'
import { nativeTablesIn, removeNativeTables } from './native-tables.ts'
import type { RuleWriter } from './rule-writer.ts'

/** The rules of a configuration as nf_tables has them itself: of both families, in tables of our own, by no program. */
export function nativeWriter(where: Where, config: CaptureConfig): RuleWriter {
  const rules = nativeRules(config)
  const names = rules.tables.map(({ name }) => name)
  const kernel = nftables(where)
  return {
    rules,
    backend: async () => 'nftables',
    async apply() {
      const report = await kernel.apply(rules)
      // Another mode had more: they would go on to mark and zone what nobody asked for.
      const removed = removeNativeTables(where, names)
      const plan = removed && report.plan === 'unchanged' ? 'replace' : report.plan
      return { backend: 'nftables', ...report, plan }
    },
    async verify() {
      await kernel.verify(rules)
      const more = nativeTablesIn(where).filter((name) => !names.includes(name))
      if (more.length === 0) return
      throw new CniError(drift, 'nftables rules differ from what was set up', {
        details: more.map((name) => `unexpected table inet ${name}`).join('\n'),
      })
    },
    async remove() {
      removeNativeTables(where)
    },
    // The tables are owned whole.
    leaveBehind: async () => {},
  }
}

const drift = 100
