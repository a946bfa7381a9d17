import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { AgentConfig } from '../config/agent-config.ts'
import { type PluginToken, renewPluginToken } from '../on-cluster/plugin-token.ts'
import type { Metrics, ScopedLog } from '../shared/deps.ts'
import type { ServerReach } from '../shared/server-reach.ts'
import { agentService, type Service } from '../shared/service.ts'

/** Dependencies of {@link tokenService}, which keeps the plugin's token valid. */
export interface TokenDeps {
  readonly log: ScopedLog
  readonly metrics: Metrics
  /** Called after each failed attempt to get the plugin's token. */
  readonly failed: () => void
  /** Tracks if the API server is reachable, from the results of the token requests. */
  readonly reach?: Pick<ServerReach, 'of'> | undefined
}

/** Service of the agent that keeps the plugin's token valid. */
export interface TokenService extends Service<AgentConfig> {
  /** Waits for the plugin's first token, because the installer removes a plugin without a token. */
  firstToken(signal: AbortSignal): Promise<void>
  problems(): string[]
}

/** Deadline in milliseconds for the plugin's first token. */
const FIRST_TOKEN_MS = 5000

/** Creates the service that keeps a token of the plugin's own service account, if the settings name one. */
export function tokenService({ log, metrics, failed, reach }: TokenDeps): TokenService {
  let token: PluginToken | undefined
  let hadToken = true
  const service = agentService<AgentConfig>(
    ({ pluginToken, api }) => pluginToken && { pluginToken, api },
    async ({ pluginToken: config, api }) => {
      if (config === undefined) return async () => {}
      const stop = new AbortController()
      hadToken = existsSync(config.file)
      const expiry = metrics.gauge(
        'istio_cni_plugin_token_expiration_timestamp_seconds',
        "Expiry of the plugin's token, in seconds since 1970",
      )
      const reports = reach?.of('serviceaccounts/token')
      const started = renewPluginToken({ config, api, log, expiry, failed, reports, signal: stop.signal })
      token = started
      return async () => {
        if (token === started) token = undefined
        stop.abort()
        await started.done
      }
    },
  )
  return {
    ...service,
    async firstToken(signal) {
      if (token === undefined || hadToken) return
      const timer = delay(FIRST_TOKEN_MS, undefined, { signal, ref: false }).catch(() => {})
      await Promise.race([token.first, timer])
    },
    problems() {
      const problem = token?.problem()
      return problem === undefined ? [] : [`plugin token: ${problem}`]
    },
  }
}
