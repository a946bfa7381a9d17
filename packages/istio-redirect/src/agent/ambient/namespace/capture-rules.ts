import { allPodTables, type PodCapture, podRules, podTables } from '@cni/istio-rules'
import { memo } from '../../../memo.ts'
import type { RulesOfBoth } from '../rules/installed-rules.ts'

/**
 * Maximal length in characters of cached capture settings (ports and ranges that a pod redirects). Longer settings are
 * rare, and their rules need megabytes of memory.
 */
const MOST_CHARS = 4096

const everyTable = allPodTables()

/**
 * Builds the iptables and nftables rules for the capture settings of a pod (ports and ranges to redirect). Caches the
 * rules of recent settings. The kernel batches (encoded netlink messages) of these rules stay cached, too.
 */
export const captureRules = memo(newRules, (key) => key.length <= MOST_CHARS)

// internal

function newRules(capture: PodCapture): RulesOfBoth {
  let tables: RulesOfBoth['nftables']['wanted'] | undefined
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
