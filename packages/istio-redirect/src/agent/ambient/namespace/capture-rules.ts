import { allPodTables, type PodCapture, podRules, podTables } from '@cni/istio-rules'
import { memo } from '../../../memo.ts'
import type { RulesOfBoth } from '../rules/installed-rules.ts'

/**
 * Maximal length of cached capture settings, in characters. Settings with long lists are rare, and their rules need
 * megabytes.
 */
const MOST_CHARS = 4096

const everyTable = allPodTables()

/**
 * Builds the rules of capture settings for both back ends. Caches the rules of the last settings, and with them the
 * kernel batches of their rulesets.
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
