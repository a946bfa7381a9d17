import { setTimeout as delay } from 'node:timers/promises'
import type { AgentConfig } from '../config/agent-config.ts'
import { throttledLog } from '../log/throttled-log.ts'
import type { ScopedLog } from '../shared/deps.ts'
import type { ServerReach } from '../shared/server-reach.ts'
import { agentService, type Service } from '../shared/service.ts'

/** Dependencies of {@link upgradeService}, which checks the permission to read the DaemonSet. */
export interface UpgradeDeps {
  readonly log: ScopedLog
  /** Tracks if the API server is reachable, from the results of the requests that read the agent's DaemonSet. */
  readonly reach: Pick<ServerReach, 'of'>
  /** Minimal pause in milliseconds between attempts to read the DaemonSet. Default: a minute. */
  readonly pauseMs?: number
}

/** Service that checks the agent's permission to read its DaemonSet, to recognize updates later. */
export interface UpgradeService extends Service<AgentConfig> {
  /** Returns the reason why the agent cannot read its DaemonSet, if any. */
  problem(): string | undefined
}

const BLIND = 'cannot distinguish an update of the DaemonSet from its removal'

/** Reads the agent's DaemonSet early, so that an administrator can grant a missing permission. */
export function upgradeService({ log, reach, pauseMs = 60_000 }: UpgradeDeps): UpgradeService {
  let problem: string | undefined
  const reports = reach.of('daemonsets')
  const service = agentService<AgentConfig>(
    ({ api, safeUpgrade, values }) => ({ api, safeUpgrade, node: nodeOf(values) }),
    async ({ api, safeUpgrade, values }) => {
      if (!safeUpgrade || api.namespace === '') return async () => {}
      const stop = new AbortController()
      const { signal } = stop
      const throttled = throttledLog(log, 'the DaemonSet can be read again: an update is distinguished from a removal')
      const check = async (): Promise<void> => {
        const { daemonSet } = await import('../on-cluster/daemon-set.ts')
        const set = daemonSet(api, { nodeName: nodeOf(values) })
        for (;;) {
          const { needed, refused, why } = await set.checkNeeded({ signal })
          if (signal.aborted) return
          problem = refused === undefined ? undefined : `${BLIND}: ${why}`
          if (needed !== undefined) break
          if (refused !== undefined) {
            reports.failed(refused)
            throttled.failed(`${BLIND}: ${why}`)
          }
          // The pause before the next attempt ends early when the agent stops.
          await delay(pauseMs * (1 + Math.random()), undefined, { signal, ref: false }).catch(() => {})
        }
        reports.answered()
        throttled.worked()
      }
      const checking = check()
      return async () => {
        stop.abort()
        await checking
        problem = undefined
      }
    },
  )
  return { ...service, problem: () => problem }
}

const nodeOf = ({ kubernetesNodeName, nodeName }: AgentConfig['values']): string => kubernetesNodeName || nodeName
