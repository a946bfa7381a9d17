import { isKubeError, kubeClient, serviceAccountAccess, tokenFile } from '@cni/kube'
import { messageOf, printable } from '@cni/types'
import { throttledLog } from '../log/throttled-log.ts'
import type { ApiAccess, Gauge, PluginTokenConfig, ScopedLog } from '../shared/deps.ts'
import type { RequestReports } from '../shared/server-reach.ts'

/** Dependencies of {@link renewPluginToken}, which renews the plugin's token. */
export interface PluginTokenDeps {
  readonly config: PluginTokenConfig
  readonly api: ApiAccess
  readonly log: ScopedLog
  /** Metric with the expiry of the plugin's token, in seconds since 1970. */
  readonly expiry: Gauge
  /** Called after each failed attempt to renew the plugin's token. */
  readonly failed: () => void
  /** Tracks if the API server is reachable, from the results of the token requests. */
  readonly reports?: RequestReports | undefined
  readonly signal: AbortSignal
  /** Minimal pause between two token requests in milliseconds. Default 1000. */
  readonly pauseMs?: number
}

/** Token of the plugin's service account, in a file that the agent renews. */
export interface PluginToken {
  /** Resolves after the first attempt to get a token, successful or not. */
  readonly first: Promise<void>
  /** Resolves after the AbortSignal has aborted and the renewal of the token has stopped. */
  readonly done: Promise<void>
  /** Returns the reason why the plugin has no valid token. `undefined` if the token is valid. */
  problem(): string | undefined
}

/** Keeps a valid token of the plugin in a file. The token outlives the agent's pod. */
export function renewPluginToken(deps: PluginTokenDeps): PluginToken {
  const { config, api, log, expiry, failed, reports, signal, pauseMs } = deps
  const throttled = throttledLog(log, `tokens of service account ${config.account} are renewed again`)
  let problem: string | undefined
  const { first, done, expires } = tokenFile(config.file).keep({
    connect: () => kubeClient(serviceAccountAccess(api), { userAgent: 'istio-cni-node' }),
    namespace: api.namespace,
    account: config.account,
    signal,
    pauseMs,
    renewed(at) {
      expiry.set(Math.round(at / 1000))
      problem = undefined
      throttled.worked()
      reports?.answered()
    },
    failed(error) {
      problem = problemOf(error, deps)
      failed()
      throttled.failed(problem)
      if (isKubeError(error)) reports?.failed(error)
    },
  })
  return { first, done, problem: () => ((expires() ?? 0) <= Date.now() ? problem : undefined) }
}

/** Removes the file with the plugin's token. Returns the file's path if the file existed. */
export const removePluginToken = ({ file }: PluginTokenConfig): string | undefined => tokenFile(file).remove()

// internal

function problemOf(error: unknown, { config, api }: PluginTokenDeps): string {
  const what = `no token for service account ${config.account} in namespace ${printable(api.namespace)}`
  const hint =
    isKubeError(error) && error.status === 403
      ? '; the agent needs "create" on serviceaccounts/token of that name'
      : isKubeError(error) && error.status === 404
        ? '; create the service account'
        : ''
  const said = isKubeError(error) ? error.said : undefined
  return `${what}: ${said ?? printable(messageOf(error))}${hint}`
}
