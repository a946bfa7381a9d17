import { messageOf } from '@cni/types'
import { calmLog } from '../../log/calm-log.ts'
import type { ScopedLog } from '../../shared/deps.ts'
import type { AmbientMetrics } from '../ambient-metrics.ts'
import type { NodePart, ReconcileNodeEvent } from './reconcile-node.ts'

/** Creates an observer of `reconcileNode` that logs repairs and failures, and counts them in metrics. */
export function tellKeeping(log: ScopedLog, metrics: AmbientMetrics): (event: ReconcileNodeEvent) => void {
  const calm = (part: NodePart) => calmLog(log, `${WORDS[part]} are checked again`, { level: 'error' })
  const failures = { host_rules: calm('host_rules'), host_sets: calm('host_sets') }
  return (event) => {
    const { part } = event
    switch (event.type) {
      case 'healed':
        failures[part].worked()
        metrics.healed(part)
        log.warn(`repaired ${WORDS[part]}, which another process changed`, { drift: drifted(event.drift) })
        return
      case 'contested':
        log.error(
          `another process keeps changing ${WORDS[part]}: find and stop it; until then probes of pods in the mesh may fail`,
          {
            nextHealInMs: event.pauseMs,
          },
        )
        return
      case 'failed':
        metrics.healFailed(part)
        failures[part].failed(`cannot check or repair ${WORDS[part]}: ${messageOf(event.error)}`)
    }
  }
}

// internal

const WORDS: Readonly<Record<NodePart, string>> = {
  host_rules: "the node's rules for probes",
  host_sets: "the node's sets of pod addresses",
}

/** Prints the first few differences of a repaired node for the log. A complete list may have hundreds. */
const drifted = (drift: readonly string[]): string =>
  drift.length <= MAX_SHOWN
    ? drift.join('; ')
    : `${drift.slice(0, MAX_SHOWN).join('; ')} and ${drift.length - MAX_SHOWN} more`

const MAX_SHOWN = 4
