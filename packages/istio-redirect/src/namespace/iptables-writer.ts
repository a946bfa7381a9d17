import { type IptablesBackend, iptables } from '@cni/iptables'
import type { CaptureConfig } from '@cni/istio-rules'
import { istioRestoreText, redirectRules, rulesLeftBehind } from '@cni/istio-rules'
import type { Where } from '@cni/netns/handle'
import { INITIAL_GENERATION } from '../initial-generation.ts'
import type { RuleWriter } from './rule-writer.ts'

/** Creates a rule writer whose back end is iptables. */
export function iptablesWriter(where: Where, config: CaptureConfig, kind: IptablesBackend | undefined): RuleWriter {
  const rules = redirectRules(config)
  const tables = iptables(where, { print: istioRestoreText, backend: kind })
  return {
    rules,
    backend: () => tables.backend(),
    async apply() {
      const { plan, families, backend, durationMs, generation } = await tables.apply(rules)
      return {
        report: { plan, families, backend, durationMs },
        isAlone: generation === INITIAL_GENERATION,
        generation: plan === 'fresh' && generation !== undefined ? generation + 1 : undefined,
      }
    },
    verify: () => tables.verify(rules),
    remove: () => tables.remove(rules),
    async removeObsolete(earlier) {
      const stale = rulesLeftBehind(redirectRules(earlier), rules)
      if (stale.length > 0) await tables.remove({ chains: [], rules: stale })
    },
  }
}
