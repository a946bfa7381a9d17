import type { RulesOfBoth } from './installed-rules.ts'
import { allPodTables, podTables } from './native/pod-tables.ts'
import { type PodCapture, podRules } from './pod-rules.ts'

/** How many captures are remembered: pods of a node differ by a few annotations, if at all. */
const REMEMBERED = 32

const MOST_CHARS = 4096

const remembered = new Map<string, RulesOfBoth>()
const everyTable = allPodTables()

/** The rules of a capture by both back ends; those of the last few are made once, and so is what is sent to the kernel. */
export function captureRules(capture: PodCapture): RulesOfBoth {
  const key = JSON.stringify(capture)
  // Long lists are rare, and their rules take megabytes.
  if (key.length > MOST_CHARS) return newRules(capture)
  const known = remembered.get(key)
  // Behind the others, so that what is in use stays.
  remembered.delete(key)
  const rules = known ?? newRules(capture)
  remembered.set(key, rules)
  const [oldest] = remembered.keys()
  if (remembered.size > REMEMBERED && oldest !== undefined) remembered.delete(oldest)
  return rules
}

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
