import { setTimeout as delay } from 'node:timers/promises'
import type { AgentConfig } from '../config/agent-config.ts'
import { calmLog } from '../log/calm-log.ts'
import { agentPart, type Part } from '../part/part.ts'
import type { ServerReach } from '../part/server-reach.ts'
import type { ScopedLog } from '../part/services.ts'

/** Dependencies of {@link upgradePart}, which checks the permission to read the DaemonSet. */
export interface UpgradePartServices {
  readonly log: ScopedLog
  /** Tracks if the API server is reachable, from the results of the requests that read the agent's DaemonSet. */
  readonly reach: Pick<ServerReach, 'of'>
  /** Minimal pause in milliseconds between attempts to read the DaemonSet. Default: a minute. */
  readonly pauseMs?: number
}

/** Component that checks the agent's permission to read its DaemonSet, to recognize updates later. */
export interface UpgradePart extends Part<AgentConfig> {
  /** Returns the reason why the agent cannot read its DaemonSet, if any. */
  problem(): string | undefined
}

const BLIND = 'cannot distinguish an update of the DaemonSet from its removal'

/** Reads the agent's DaemonSet early, so that an administrator can grant a missing permission. */
export function upgradePart({ log, reach, pauseMs = 60_000 }: UpgradePartServices): UpgradePart {
  let problem: string | undefined
  const reports = reach.of('daemonsets')
  const part = agentPart<AgentConfig>(
    ({ api, safeUpgrade, values }) => ({ api, safeUpgrade, node: nodeOf(values) }),
    async ({ api, safeUpgrade, values }) => {
      if (!safeUpgrade || api.namespace === '') return async () => {}
      const stop = new AbortController()
      const { signal } = stop
      const calm = calmLog(log, 'the DaemonSet can be read again: an update is distinguished from a removal')
      const look = async (): Promise<void> => {
        const { daemonSet } = await import('../on-cluster/daemon-set.ts')
        const set = daemonSet(api, { nodeName: nodeOf(values) })
        for (;;) {
          const { wanted, refused, why } = await set.stillWanted({ signal })
          if (signal.aborted) return
          problem = refused === undefined ? undefined : `${BLIND}: ${why}`
          if (wanted !== undefined) break
          if (refused !== undefined) {
            reports.failed(refused)
            calm.failed(`${BLIND}: ${why}`)
          }
          // The pause before the next attempt ends early when the agent stops.
          await delay(pauseMs * (1 + Math.random()), undefined, { signal, ref: false }).catch(() => {})
        }
        reports.answered()
        calm.worked()
      }
      const looking = look()
      return async () => {
        stop.abort()
        await looking
        problem = undefined
      }
    },
  )
  return { ...part, problem: () => problem }
}

const nodeOf = ({ kubernetesNodeName, nodeName }: AgentConfig['values']): string => kubernetesNodeName || nodeName
