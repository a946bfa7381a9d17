import { allPodTables, type PodCapture, podRules, podTables } from '@cni/istio-rules'
import { memo } from '../../../memo.ts'
import type { RulesByBackend } from '../rules/installed-rules.ts'

/** Maximal length of cached capture settings. Longer settings would need megabytes of memory. */
const MAX_CHARS = 4096

const everyTable = allPodTables()

/** Builds the iptables and nftables rules for a pod's capture settings, with a cache. */
export const captureRules = memo(newRules, (key) => key.length <= MAX_CHARS)

// internal

function newRules(capture: PodCapture): RulesByBackend {
  let tables: RulesByBackend['nftables']['wanted'] | undefined
  return {
    iptables: podRules(capture),
    nftables: {
      get wanted() {
        tables ??= podTables(capture)
        return tables
      },
      all: everyTable,
    },
  }
}
