import { setTimeout as delay } from 'node:timers/promises'
import { pluginInRuntime } from '@cni/installer'
import { messageOf } from '@cni/types'
import type { AgentConfig } from '../config/agent-config.ts'
import { calmLog } from '../log/calm-log.ts'
import { keepRunning } from '../part/keep-running.ts'
import { agentPart, type Part } from '../part/part.ts'
import type { Metrics, ScopedLog } from '../part/services.ts'
import { runtimeMetric } from './runtime-metric.ts'

/** Dependencies of {@link criPart}, which checks that the container runtime runs the plugin. */
export interface CriPartServices {
  readonly log: ScopedLog
  readonly metrics: Metrics
  /**
   * True if the plugin's installation is complete. Container runtimes cannot run the plugin before the installation is
   * complete.
   */
  readonly isInstalled: () => boolean
  /** Called after each failed query of the container runtime, to count the failures. */
  readonly failed: () => void
  /** Function that queries the container runtime. Tests replace it. */
  readonly ask?: typeof pluginInRuntime
  /** Intervals in milliseconds between queries. A missing plugin counts as a problem after `graceMs`. */
  readonly pace?: { readonly lookMs: number; readonly soonMs: number; readonly graceMs: number }
}

/** Component of the agent that checks if the container runtime runs the plugin. */
export interface CriPart extends Part<AgentConfig> {
  /** Returns the reason why the container runtime does not run the plugin, if any. */
  problems(): string[]
}

/** Intervals in production. `graceMs` exceeds the usual reaction time of a runtime. */
const PACE = { lookMs: 10_000, soonMs: 2000, graceMs: 5000 }

/** Asks the container runtime at intervals if it runs the plugin. A failed query does not change readiness. */
export function criPart(services: CriPartServices): CriPart {
  const { log, isInstalled, failed, ask = pluginInRuntime, pace = PACE } = services
  const setMetric = runtimeMetric(services.metrics)
  let problem: string | undefined
  const part = agentPart<AgentConfig>(
    ({ cri, install }) => ({ cri, type: install.plugin.type }),
    async ({ cri, install }) => {
      if (cri === undefined) return async () => {}
      const { socket, chained } = cri
      const stop = new AbortController()
      const { signal } = stop
      const calm = calmLog(log, 'the container runtime answers again')
      const missing = calmLog(log, 'the container runtime runs the plugin again')
      let since: number | undefined
      let told = ''
      const look = async (): Promise<'settled' | 'soon'> => {
        const wasInstalled = isInstalled()
        const { state, text } = await ask(socket, { type: install.plugin.type, chained, signal })
        calm.worked()
        setMetric(state)
        if (state !== 'missing') {
          missing.worked()
          if (text !== told) log.info(text)
          told = text
          since = problem = undefined
          return 'settled'
        }
        // Requires a complete installation before and after the query, because the installer runs in parallel.
        since = wasInstalled && isInstalled() ? (since ?? performance.now()) : undefined
        problem =
          since !== undefined && performance.now() - since >= pace.graceMs ? `installed, but ${text}` : undefined
        if (problem !== undefined) missing.failed(problem)
        return 'soon'
      }
      const run = async (): Promise<void> => {
        while (!signal.aborted) {
          const next = await look().catch((error: unknown) => {
            if (!signal.aborted) {
              since = problem = undefined
              setMetric('unasked')
              failed()
              calm.failed(`cannot query the container runtime at ${socket}: ${messageOf(error)}`)
            }
            return 'settled'
          })
          // The pause before the next query ends early when the agent stops.
          await delay(next === 'soon' ? pace.soonMs : pace.lookMs, undefined, { signal, ref: false }).catch(() => {})
        }
      }
      const done = keepRunning('the queries of the container runtime', run, { log, signal })
      return async () => {
        stop.abort()
        await done
        problem = undefined
        setMetric(undefined)
      }
    },
  )
  return { ...part, problems: () => (problem === undefined ? [] : [`runtime: ${problem}`]) }
}
