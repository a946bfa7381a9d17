import { allPodTables, type PodCapture, podRules, podTables } from '@cni/istio-rules'
import { memo } from '../../../memo.ts'
import type { RulesOfBoth } from '../rules/installed-rules.ts'

/** Characters of a capture: long lists are rare, and their rules take megabytes. */
const MOST_CHARS = 4096

const everyTable = allPodTables()

/** The rules of a capture by both back ends; those of the last few are made once, and so is what is sent to the kernel. */
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
