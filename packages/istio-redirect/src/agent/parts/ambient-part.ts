import { existsSync } from 'node:fs'
import { messageOf, printable } from '@cni/types'
import { ambientMetrics } from '../ambient/ambient-metrics.ts'
import { nodeLevelMark } from '../ambient/node-level/node-level-mark.ts'
import type { AgentConfig } from '../config/agent-config.ts'
import type { AmbientConfig } from '../config/ambient-config.ts'
import { backendFile } from '../config/backend-file.ts'
import type { EndReason, Part } from '../part/part.ts'
import type { ServerReach } from '../part/server-reach.ts'
import type { Metrics, ScopedLog } from '../part/services.ts'
import type { PodWatches } from '../pods/pod-watches.ts'
import type { AmbientStatus } from '../serve/ambient-status.ts'
import type { EnrolPod } from '../serve/start-serving.ts'

/** What the ambient part works with. */
export interface AmbientServices {
  readonly log: ScopedLog
  readonly metrics: Metrics
  readonly watches: PodWatches
  /** Counts what could not be done. */
  readonly failed: () => void
  /** A connection of a plugin was closed before its time. */
  readonly closed: (reason: string) => void
  /** Whether a newer agent keeps the node now. */
  readonly isAside: () => boolean
  /** Told of what becomes of requests. */
  readonly reach?: Pick<ServerReach, 'of'> | undefined
}

/** Ambient mode beside the installer. */
export interface AmbientPart extends Part<AgentConfig> {
  /** How it is; `undefined` where it is off. */
  status(): AmbientStatus | undefined
  /** What keeps it from working, in sentences; a pod that waits is none. */
  problems(): string[]
  enrol: EnrolPod
}

/**
 * Runs ambient mode beside the installer. One that is given other settings ends before the next begins: two would do the
 * same pods at the same time.
 */
export function ambientPart(
  services: AmbientServices,
  load: () => Promise<StartAmbientMode> = loadStart,
  removeLeft: RemoveLeft = removeWhenOff,
): AmbientPart {
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
      if (config.nodeName === '') throw new Error('NODE_NAME is not set, so that nobody can say which pods are here')
      const start = await load()
      started = await start({
        ...services,
        metrics: ambientMetrics(services.metrics),
        requests: requests(),
        config,
        api,
      })
      return started
    } catch (error) {
      broken = printable(messageOf(error))
      services.failed()
      services.log.error(`ambient mode: ${broken}`)
      return undefined
    }
  }
  const requests = () =>
    services.metrics.counter('istio_cni_plugin_requests_total', 'Requests of plugins that hand pods over', [
      'response_code',
    ])
  return {
    async update(config) {
      const ambient = services.isAside() ? undefined : config.ambient
      // An agent of before may have redirected on the node, and left that for this one.
      if (ambient === undefined && running === undefined && !services.isAside()) await removeLeft(config, services.log)
      const key = ambient === undefined ? '' : JSON.stringify({ ambient, api: config.api })
      if ((running?.key ?? '') === key) return
      // Who comes after this one on the node finds all as it is; without ambient mode, or by other means, nobody needs it.
      const mode = ambient?.nodeLevel?.mode
      const stays = ambient !== undefined && (running === undefined || running.mode === mode)
      await end(stays || services.isAside() ? 'exchanged' : 'removed')
      if (ambient !== undefined) running = { key, mode, started: begin(ambient, config) }
    },
    close: end,
    status: () => started?.status(),
    problems() {
      if (running === undefined) return []
      const problem = broken ?? (started === undefined ? 'it is about to start' : started.unready())
      return problem === undefined ? [] : [`ambient mode: ${problem}`]
    },
    enrol: async (pod, signal) => started?.enrol(pod, signal),
  }
}

// internal

interface Running {
  readonly key: string
  /** On the node, and how; `undefined`: in pods. */
  readonly mode: 'node-iptables' | 'node-ebpf' | undefined
  readonly started: Promise<AmbientMode | undefined>
}

type StartAmbientMode = typeof import('../ambient/start-ambient.ts')['startAmbientMode']
type AmbientMode = Awaited<ReturnType<StartAmbientMode>>

/** Most nodes never need it. */
const loadStart = async (): Promise<StartAmbientMode> => (await import('../ambient/start-ambient.ts')).startAmbientMode

type RemoveLeft = (config: AgentConfig, log: ScopedLog) => Promise<void>

/** Loads what does it only where there is something. */
const removeWhenOff: RemoveLeft = async ({ values }, log) => {
  const place = { backendFile: backendFile(values.cniAgentRunDir) }
  if (!existsSync(nodeLevelMark(place))) return
  const { removeFromNodeOf } = await import('../ambient/node-level/remove-when-off.ts')
  await removeFromNodeOf(values, log)
}
