import { messageOf, printable } from '@cni/types'
import { ambientMetrics } from '../ambient/ambient-metrics.ts'
import { removeWhenOff } from '../ambient/node-level/remove-when-off.ts'
import type { AgentConfig } from '../config/agent-config.ts'
import type { AmbientConfig } from '../config/ambient-config.ts'
import type { PodWatches } from '../pods/pod-watches.ts'
import type { AmbientStatus } from '../serve/ambient-status.ts'
import type { EnrolPod } from '../serve/start-serving.ts'
import type { Metrics, ScopedLog } from '../shared/deps.ts'
import type { ServerReach } from '../shared/server-reach.ts'
import type { EndReason, Service } from '../shared/service.ts'

/** Dependencies of the agent's ambient mode. */
export interface AmbientDeps {
  readonly log: ScopedLog
  readonly metrics: Metrics
  readonly watches: PodWatches
  /** Counts each failed start of ambient mode in a metric. */
  readonly failed: () => void
  /** Called when the agent closes a plugin's connection because the connection exceeds a limit. */
  readonly closed: (reason: string) => void
  /** True if a newer agent on the node has taken over the work. */
  readonly isStandby: () => boolean
  /** Tracks if the API server is reachable, from the results of ambient mode's requests. */
  readonly reach?: Pick<ServerReach, 'of'> | undefined
}

/** Ambient mode as a service of the agent that starts, restarts and stops with the settings. */
export interface AmbientService extends Service<AgentConfig> {
  /** Returns the status of ambient mode for `install-cni status`. `undefined` if ambient mode is off. */
  status(): AmbientStatus | undefined
  /** Lists the reasons why ambient mode is not ready on this node, as sentences. */
  problems(): string[]
  enrol: EnrolPod
}

/** Runs ambient mode. Two instances never overlap, because both would handle the same pods. */
export function ambientService(
  deps: AmbientDeps,
  load: () => Promise<StartAmbientMode> = loadStart,
  removeLeft = removeWhenOff,
): AmbientService {
  let running: Running | undefined
  let started: AmbientMode | undefined
  let broken: string | undefined
  const end = async (why: EndReason): Promise<void> => {
    const old = running
    running = undefined
    const ambient = await old?.started
    started = undefined
    broken = undefined
    await ambient?.stop(why)
  }
  const begin = async (config: AmbientConfig, { api }: AgentConfig): Promise<AmbientMode | undefined> => {
    try {
      if (config.nodeName === '') throw new Error('NODE_NAME is not set, so the pods of this node are unknown')
      const start = await load()
      started = await start({
        ...deps,
        metrics: ambientMetrics(deps.metrics),
        requests: requests(),
        config,
        api,
      })
      return started
    } catch (error) {
      broken = printable(messageOf(error))
      deps.failed()
      deps.log.error(`ambient mode: ${broken}`)
      return undefined
    }
  }
  const requests = () =>
    deps.metrics.counter('istio_cni_plugin_requests_total', 'Requests of plugins that hand over pods', [
      'response_code',
    ])
  return {
    async update(config) {
      const ambient = deps.isStandby() ? undefined : config.ambient
      // Ambient mode is off: removes node-level redirection that an earlier agent may have left on the node.
      if (ambient === undefined && running === undefined && !deps.isStandby()) await removeLeft(config, deps.log)
      const key = ambient === undefined ? '' : JSON.stringify({ ambient, api: config.api })
      if ((running?.key ?? '') === key) return
      // Keeps the redirection on the node if the next instance has the same redirect mode.
      const mode = ambient?.nodeLevel?.mode
      const stays = ambient !== undefined && (running === undefined || running.mode === mode)
      await end(stays || deps.isStandby() ? 'exchanged' : 'removed')
      if (ambient !== undefined) running = { key, mode, started: begin(ambient, config) }
    },
    close: end,
    status: () => started?.status(),
    problems() {
      if (running === undefined) return []
      const problem = broken ?? (started === undefined ? 'it is starting' : started.unready())
      return problem === undefined ? [] : [`ambient mode: ${problem}`]
    },
    enrol: async (pod, signal) => started?.enrol(pod, signal),
  }
}

// internal

interface Running {
  readonly key: string
  /** Mode of node-level redirection. `undefined` means redirection in pods. */
  readonly mode: 'node-iptables' | 'node-ebpf' | undefined
  readonly started: Promise<AmbientMode | undefined>
}

type StartAmbientMode = typeof import('../ambient/start-ambient.ts')['startAmbientMode']
type AmbientMode = Awaited<ReturnType<StartAmbientMode>>

/** Loads the code of ambient mode only if ambient mode is on, because most nodes do not use it. */
const loadStart = async (): Promise<StartAmbientMode> => (await import('../ambient/start-ambient.ts')).startAmbientMode
