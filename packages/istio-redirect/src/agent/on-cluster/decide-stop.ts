import type { AgentConfig } from '../config/agent-config.ts'
import type { EndReason } from '../part/part.ts'
import type { ScopedLog } from '../part/services.ts'

/** What {@link decideStop} works with. */
export interface StopServices {
  readonly log: ScopedLog
  /** Asks for so many milliseconds more than stopping usually takes. */
  readonly needTime: (ms: number) => void
}

/**
 * Whether an agent follows on this node, so that all stays as it is: nothing may be out of order between the two. Where
 * nobody can tell, a network of our own stays, as pods could not start without it, and everything else goes.
 */
export async function decideStop(
  { api, install, safeUpgrade, values }: AgentConfig,
  { log, needTime }: StopServices,
): Promise<EndReason> {
  if (!safeUpgrade || api.namespace === '') {
    log.info('stopping: the plugin is taken off this node')
    return 'removed'
  }
  const { daemonSet, LOOK_MS } = await import('./daemon-set.ts')
  needTime(LOOK_MS)
  const set = daemonSet(api, { nodeName: values.kubernetesNodeName || values.nodeName })
  const { wanted, why } = await set.stillWanted({ signal: new AbortController().signal })
  needTime(0)
  const isOwned = typeof install.mode === 'object'
  const stays = wanted ?? isOwned
  const text = `stopping: the plugin ${stays ? 'stays on' : 'is taken off'} this node: ${why}`
  if (wanted === undefined) log.warn(`${text} (whether an agent follows could not be found out)`)
  else log.info(text)
  return stays ? 'followed' : 'removed'
}
