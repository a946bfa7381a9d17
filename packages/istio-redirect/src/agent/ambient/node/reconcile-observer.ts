import { messageOf } from '@cni/types'
import { throttledLog } from '../../log/throttled-log.ts'
import type { ScopedLog } from '../../shared/deps.ts'
import type { AmbientMetrics } from '../ambient-metrics.ts'
import type { NodeObjects, ReconcileNodeEvent } from './reconcile-node.ts'

/** Creates an observer of `reconcileNode` that logs repairs and failures, and counts them in metrics. */
export function reconcileObserver(log: ScopedLog, metrics: AmbientMetrics): (event: ReconcileNodeEvent) => void {
  const throttled = (objects: NodeObjects) =>
    throttledLog(log, `${TEXTS[objects]} are checked again`, { level: 'error' })
  const failures = { host_rules: throttled('host_rules'), host_sets: throttled('host_sets') }
  return (event) => {
    const { objects } = event
    switch (event.type) {
      case 'healed':
        failures[objects].worked()
        metrics.healed(objects)
        log.warn(`repaired ${TEXTS[objects]}, which another process changed`, { drift: driftText(event.drift) })
        return
      case 'contested':
        log.error(
          `another process keeps changing ${TEXTS[objects]}: find and stop it; until then probes of pods in the mesh may fail`,
          {
            nextHealInMs: event.pauseMs,
          },
        )
        return
      case 'failed':
        metrics.healFailed(objects)
        failures[objects].failed(`cannot check or repair ${TEXTS[objects]}: ${messageOf(event.error)}`)
    }
  }
}

// internal

const TEXTS: Readonly<Record<NodeObjects, string>> = {
  host_rules: "the node's rules for probes",
  host_sets: "the node's sets of pod addresses",
}

/** Prints the first few differences of a repaired node for the log. A complete list may have hundreds. */
const driftText = (drift: readonly string[]): string =>
  drift.length <= MAX_SHOWN
    ? drift.join('; ')
    : `${drift.slice(0, MAX_SHOWN).join('; ')} and ${drift.length - MAX_SHOWN} more`

const MAX_SHOWN = 4
