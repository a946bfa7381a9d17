import { setTimeout as delay } from 'node:timers/promises'
import { pluginInRuntime } from '@cni/installer'
import { messageOf } from '@cni/types'
import type { AgentConfig } from '../config/agent-config.ts'
import { throttledLog } from '../log/throttled-log.ts'
import type { Metrics, ScopedLog } from '../shared/deps.ts'
import { keepRunning } from '../shared/keep-running.ts'
import { agentService, type Service } from '../shared/service.ts'
import { runtimeMetric } from './runtime-metric.ts'

/** Dependencies of {@link criService}, which checks that the container runtime runs the plugin. */
export interface CriDeps {
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
  readonly intervals?: { readonly checkMs: number; readonly recheckMs: number; readonly graceMs: number }
}

/** Service of the agent that checks if the container runtime runs the plugin. */
export interface CriService extends Service<AgentConfig> {
  /** Returns the reason why the container runtime does not run the plugin, if any. */
  problems(): string[]
}

/** Intervals in production. `graceMs` exceeds the usual reaction time of a runtime. */
const INTERVALS = { checkMs: 10_000, recheckMs: 2000, graceMs: 5000 }

/** Asks the container runtime at intervals if it runs the plugin. A failed query does not change readiness. */
export function criService(deps: CriDeps): CriService {
  const { log, isInstalled, failed, ask = pluginInRuntime, intervals = INTERVALS } = deps
  const setMetric = runtimeMetric(deps.metrics)
  let problem: string | undefined
  const service = agentService<AgentConfig>(
    ({ cri, install }) => ({ cri, type: install.plugin.type }),
    async ({ cri, install }) => {
      if (cri === undefined) return async () => {}
      const { socket, chained } = cri
      const stop = new AbortController()
      const { signal } = stop
      const throttled = throttledLog(log, 'the container runtime answers again')
      const missing = throttledLog(log, 'the container runtime runs the plugin again')
      let since: number | undefined
      let reported = ''
      const check = async (): Promise<'settled' | 'soon'> => {
        const wasInstalled = isInstalled()
        const { state, text } = await ask(socket, { type: install.plugin.type, chained, signal })
        throttled.worked()
        setMetric(state)
        if (state !== 'missing') {
          missing.worked()
          if (text !== reported) log.info(text)
          reported = text
          since = problem = undefined
          return 'settled'
        }
        // Requires a complete installation before and after the query, because the installer runs in parallel.
        since = wasInstalled && isInstalled() ? (since ?? performance.now()) : undefined
        problem =
          since !== undefined && performance.now() - since >= intervals.graceMs ? `installed, but ${text}` : undefined
        if (problem !== undefined) missing.failed(problem)
        return 'soon'
      }
      const run = async (): Promise<void> => {
        while (!signal.aborted) {
          const next = await check().catch((error: unknown) => {
            if (!signal.aborted) {
              since = problem = undefined
              setMetric('unasked')
              failed()
              throttled.failed(`cannot query the container runtime at ${socket}: ${messageOf(error)}`)
            }
            return 'settled'
          })
          // The pause before the next query ends early when the agent stops.
          await delay(next === 'soon' ? intervals.recheckMs : intervals.checkMs, undefined, {
            signal,
            ref: false,
          }).catch(() => {})
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
  return { ...service, problems: () => (problem === undefined ? [] : [`runtime: ${problem}`]) }
}
