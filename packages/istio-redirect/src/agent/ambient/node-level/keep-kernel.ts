import { setTimeout as sleep } from 'node:timers/promises'
import type { KernelSide } from '@cni/istio-node-level'
import { messageOf, printable } from '@cni/types'
import { calmLog } from '../../log/calm-log.ts'
import type { ScopedLog } from '../../part/services.ts'
import type { AmbientMetrics } from '../ambient-metrics.ts'
import { type HealPace, healPace } from '../node/heal-pace.ts'

/** How {@link keepKernel} works. */
export interface KeepKernelOptions {
  readonly log: ScopedLog
  readonly metrics: Pick<AmbientMetrics, 'healed' | 'healFailed'>
  /** Ends it; what is being written then is written to its end. */
  readonly signal: AbortSignal
  /** Between two looks, in milliseconds. */
  readonly lookMs?: number | undefined
  readonly pace?: HealPace | undefined
}

/**
 * Keeps what a kernel's side left: what others change comes back with the next look, and whoever does it again and again
 * is not fought without end. Never rejects.
 */
export async function keepKernel(
  kernel: Pick<KernelSide, 'drift' | 'heal'>,
  options: KeepKernelOptions,
): Promise<void> {
  const { log, metrics, signal, lookMs = LOOK_MS, pace = healPace() } = options
  const calm = calmLog(log, 'what redirects traffic on the node can be kept again', { level: 'error' })
  while (await pause(lookMs, signal)) {
    try {
      const drift = await kernel.drift()
      if (drift.length === 0) continue
      const pauseMs = pace.next()
      if (pauseMs > 0) {
        log.error('somebody changes again and again what redirects traffic on the node: who?', {
          nextHealInMs: pauseMs,
        })
        if (!(await pause(pauseMs, signal))) return
      }
      const { changed, warnings } = await kernel.heal()
      for (const text of warnings) log.warn(printable(text))
      calm.worked()
      if (changed.length === 0) continue
      metrics.healed('host_rules')
      const text = 'somebody changed what redirects traffic on the node, which is put right'
      log.warn(text, { drift: printable(drift.slice(0, NAMED).join('; ')), parts: drift.length })
    } catch (error) {
      metrics.healFailed('host_rules')
      calm.failed(`what redirects traffic on the node cannot be kept: ${printable(messageOf(error))}`)
    }
  }
}

// internal

const LOOK_MS = 500
const NAMED = 4

/** Waits; `false` when it was aborted. */
const pause = (ms: number, signal: AbortSignal): Promise<boolean> => sleep(ms, true, { signal }).catch(() => false)
