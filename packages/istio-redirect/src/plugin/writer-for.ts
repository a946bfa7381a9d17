import { iptables } from '@cni/iptables'
import type { Where } from '@cni/netns/handle'
import type { CaptureConfig } from '../redirect/config.ts'
import { rulesLeftBehind } from '../redirect/left-behind.ts'
import { redirectRules } from '../redirect/rules.ts'
import { istioRestoreText } from '../redirect/text.ts'
import type { RuleBackend, RuleWriter } from './rule-writer.ts'

/** The rules of a configuration by a back end; of iptables the one in use there, if none is given. */
export async function writerFor(
  where: Where,
  config: CaptureConfig,
  backend: RuleBackend | undefined,
): Promise<RuleWriter> {
  if (backend !== 'nftables') return iptablesWriter(where, config, backend)
  const { nativeWriter } = await import('./native-writer.ts')
  return nativeWriter(where, config)
}

function iptablesWriter(
  where: Where,
  config: CaptureConfig,
  backend: Exclude<RuleBackend, 'nftables'> | undefined,
): RuleWriter {
  const rules = redirectRules(config)
  const tables = iptables(where, { print: istioRestoreText, backend })
  return {
    rules,
    backend: () => tables.backend(),
    apply: () => tables.apply(rules),
    verify: () => tables.verify(rules),
    remove: () => tables.remove(rules),
    async leaveBehind(earlier) {
      const stale = rulesLeftBehind(redirectRules(earlier), rules)
      if (stale.length > 0) await tables.remove({ chains: [], rules: stale })
    },
  }
}
