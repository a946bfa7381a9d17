import { setTimeout as delay } from 'node:timers/promises'
import { pluginInRuntime } from '@cni/installer'
import { messageOf } from '@cni/types'
import type { AgentConfig } from '../config/agent-config.ts'
import { calmLog } from '../log/calm-log.ts'
import { keepRunning } from '../part/keep-running.ts'
import { agentPart, type Part } from '../part/part.ts'
import type { Metrics, ScopedLog } from '../part/services.ts'
import { runtimeMetrics } from './runtime-metrics.ts'

/** What {@link criPart} works with. */
export interface CriPartServices {
  readonly log: ScopedLog
  readonly metrics: Metrics
  /** Whether all that the installer writes is in place: until then the runtime cannot have the plugin. */
  readonly isInstalled: () => boolean
  /** Called for every question without a valid answer. */
  readonly failed: () => void
  /** For tests: asks the runtime. */
  readonly ask?: typeof pluginInRuntime
  /** For tests: milliseconds between two questions, between two while the plugin is missing, and until that counts. */
  readonly pace?: { readonly lookMs: number; readonly soonMs: number; readonly graceMs: number }
}

/** The part that knows whether the container runtime runs the plugin. */
export interface CriPart extends Part<AgentConfig> {
  /** Why the runtime does not, where it says so; otherwise nothing. */
  problems(): string[]
}

/** A runtime notices a file within milliseconds. */
const PACE = { lookMs: 10_000, soonMs: 2000, graceMs: 5000 }

/**
 * Asks the container runtime in rounds which networks it has loaded. The node is not ready once a runtime has been without
 * the installed plugin for some seconds. A runtime that cannot be asked is logged, and changes nothing.
 */
export function criPart(services: CriPartServices): CriPart {
  const { log, isInstalled, failed, ask = pluginInRuntime, pace = PACE } = services
  const metrics = runtimeMetrics(services.metrics)
  let problem: string | undefined
  const part = agentPart<AgentConfig>(
    ({ cri, install }) => ({ cri, type: install.plugin.type }),
    async ({ cri, install }) => {
      if (cri === undefined) return async () => {}
      const { socket, chained } = cri
      const stop = new AbortController()
      const { signal } = stop
      const calm = calmLog(log, 'the container runtime can be asked again')
      const missing = calmLog(log, 'the container runtime runs the plugin again')
      let since: number | undefined
      let told = ''
      const look = async (): Promise<'settled' | 'soon'> => {
        const wasInstalled = isInstalled()
        const { state, text } = await ask(socket, { type: install.plugin.type, chained, signal })
        calm.worked()
        metrics.set(state)
        if (state !== 'missing') {
          missing.worked()
          if (text !== told) log.info(text)
          told = text
          since = problem = undefined
          return 'settled'
        }
        // Before and after the question: the installer may have taken the entry out meanwhile.
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
              metrics.set('unasked')
              failed()
              calm.failed(`the container runtime at ${socket} cannot be asked: ${messageOf(error)}`)
            }
            return 'settled'
          })
          // the signal ends the pause
          await delay(next === 'soon' ? pace.soonMs : pace.lookMs, undefined, { signal, ref: false }).catch(() => {})
        }
      }
      const done = keepRunning('asking the container runtime', run, { log, signal })
      return async () => {
        stop.abort()
        await done
        problem = undefined
        metrics.set(undefined)
      }
    },
  )
  return { ...part, problems: () => (problem === undefined ? [] : [`runtime: ${problem}`]) }
}
