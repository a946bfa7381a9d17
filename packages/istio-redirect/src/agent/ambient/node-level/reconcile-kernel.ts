import type { KernelSide } from '@cni/istio-node-level'
import { messageOf, printable } from '@cni/types'
import { pause } from '../../../pause.ts'
import { throttledLog } from '../../log/throttled-log.ts'
import type { ScopedLog } from '../../shared/deps.ts'
import type { AmbientMetrics } from '../ambient-metrics.ts'
import { repairBackoff } from '../node/repair-backoff.ts'

/** Options of {@link reconcileKernel}, which repairs node-level redirection. */
export interface ReconcileKernelOptions {
  readonly log: ScopedLog
  readonly metrics: Pick<AmbientMetrics, 'healed' | 'healFailed'>
  /** AbortSignal that ends the checks of node-level redirection. A write in progress completes first. */
  readonly signal: AbortSignal
}

/** Checks and repairs node-level redirection in the kernel at intervals. Never rejects. */
export async function reconcileKernel(
  kernel: Pick<KernelSide, 'drift' | 'heal'>,
  { log, metrics, signal }: ReconcileKernelOptions,
): Promise<void> {
  const backoff = repairBackoff()
  const throttled = throttledLog(log, 'the redirection on the node is checked again', { level: 'error' })
  while (await pause(CHECK_INTERVAL_MS, signal)) {
    try {
      const drift = await kernel.drift()
      if (drift.length === 0) continue
      const pauseMs = backoff.next()
      if (pauseMs > 0) {
        log.error('another process keeps changing the redirection on the node: find and stop it', {
          nextHealInMs: pauseMs,
        })
        if (!(await pause(pauseMs, signal))) return
      }
      const { changed, warnings } = await kernel.heal()
      for (const text of warnings) log.warn(printable(text))
      throttled.worked()
      if (changed.length === 0) continue
      metrics.healed('host_rules')
      const text = 'repaired the redirection on the node, which another process changed'
      log.warn(text, { drift: printable(drift.slice(0, MAX_SHOWN).join('; ')), parts: drift.length })
    } catch (error) {
      metrics.healFailed('host_rules')
      throttled.failed(`cannot check or repair the redirection on the node: ${printable(messageOf(error))}`)
    }
  }
}

// internal

/** Interval in milliseconds between checks of the kernel's rules, routes and programs. */
const CHECK_INTERVAL_MS = 500
const MAX_SHOWN = 4
