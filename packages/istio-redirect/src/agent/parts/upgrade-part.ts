import { setTimeout as delay } from 'node:timers/promises'
import type { AgentConfig } from '../config/agent-config.ts'
import { calmLog } from '../log/calm-log.ts'
import { agentPart, type Part } from '../part/part.ts'
import type { ServerReach } from '../part/server-reach.ts'
import type { ScopedLog } from '../part/services.ts'

/** What {@link upgradePart} works with. */
export interface UpgradePartServices {
  readonly log: ScopedLog
  /** Told of what becomes of the looks. */
  readonly reach: Pick<ServerReach, 'of'>
  /** Between two looks until one is answered, up to twice as long; default a minute. */
  readonly pauseMs?: number
}

/** The part that knows whether an update will find the plugin where it is. */
export interface UpgradePart extends Part<AgentConfig> {
  /** Why the agent could not tell an update from a removal; `undefined` when it could, or was not refused. */
  problem(): string | undefined
}

const BLIND = 'an update of the DaemonSet could not be told from its removal'

/**
 * Looks at the agent's DaemonSet when it starts. The look that counts is that of an agent that was told to stop: a right
 * which is missing then is known too late.
 */
export function upgradePart({ log, reach, pauseMs = 60_000 }: UpgradePartServices): UpgradePart {
  let problem: string | undefined
  const reports = reach.of('daemonsets')
  const part = agentPart<AgentConfig>(
    ({ api, safeUpgrade, values }) => ({ api, safeUpgrade, node: nodeOf(values) }),
    async ({ api, safeUpgrade, values }) => {
      if (!safeUpgrade || api.namespace === '') return async () => {}
      const stop = new AbortController()
      const { signal } = stop
      const calm = calmLog(log, 'updates of the DaemonSet can be told from its removal again')
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
          // the signal ends the pause
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
