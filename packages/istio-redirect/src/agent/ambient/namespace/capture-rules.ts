import { allPodTables, type PodCapture, podRules, podTables } from '@cni/istio-rules'
import { memo } from '../../../memo.ts'
import type { RulesOfBoth } from '../rules/installed-rules.ts'

/** Limit of a cached capture, in characters. Long lists are rare, and their rules need megabytes. */
const MOST_CHARS = 4096

const everyTable = allPodTables()

/**
 * Builds the rules of a capture for both back ends. The rules of the last captures are cached, and so are the kernel
 * batches
 * of their rulesets.
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
