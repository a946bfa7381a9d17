import type { AgentConfig } from '../config/agent-config.ts'
import type { ScopedLog } from '../shared/deps.ts'
import type { EndReason } from '../shared/service.ts'

/** Dependencies of {@link decideStop}, which decides if a stopping agent removes the plugin. */
export interface StopDeps {
  readonly log: ScopedLog
  /** Extends the usual deadline for stopping the agent by `ms` milliseconds. */
  readonly needTime: (ms: number) => void
}

/** Decides which plugin files a stopping agent leaves. In doubt, keeps the files that pods need to start. */
export async function decideStop(
  { api, install, safeUpgrade, values }: AgentConfig,
  { log, needTime }: StopDeps,
): Promise<EndReason> {
  if (!safeUpgrade || api.namespace === '') {
    log.info('stopping: the plugin is removed from this node')
    return 'removed'
  }
  const { daemonSet, READ_TIMEOUT_MS } = await import('./daemon-set.ts')
  needTime(READ_TIMEOUT_MS)
  const set = daemonSet(api, { nodeName: values.kubernetesNodeName || values.nodeName })
  const { needed, why } = await set.checkNeeded({ signal: new AbortController().signal })
  needTime(0)
  const isOwned = typeof install.mode === 'object'
  const stays = needed ?? isOwned
  const text = `stopping: the plugin ${stays ? 'stays on' : 'is removed from'} this node: ${why}`
  if (needed === undefined) log.warn(`${text} (it is unknown whether another agent follows)`)
  else log.info(text)
  return stays ? 'followed' : 'removed'
}
