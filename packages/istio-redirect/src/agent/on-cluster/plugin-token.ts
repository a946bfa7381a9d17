import { isKubeError, kubeClient, serviceAccountAccess, tokenFile } from '@cni/kube'
import { messageOf, printable } from '@cni/types'
import { calmLog } from '../log/calm-log.ts'
import type { RequestReports } from '../part/server-reach.ts'
import type { ApiAccess, Gauge, PluginTokenConfig, ScopedLog } from '../part/services.ts'

/** What {@link keepPluginToken} works with. */
export interface PluginTokenServices {
  readonly config: PluginTokenConfig
  readonly api: ApiAccess
  readonly log: ScopedLog
  /** Seconds since 1970 at which the token expires. */
  readonly expiry: Gauge
  /** Called for every attempt that failed. */
  readonly failed: () => void
  /** Told of what becomes of the requests. */
  readonly reports?: RequestReports | undefined
  readonly signal: AbortSignal
  /** The shortest time between two requests. Default a second. */
  readonly pauseMs?: number
}

/** A token that is requested, renewed and kept in its file. */
export interface PluginToken {
  /** Settles when the first attempt is over, well or not. */
  readonly first: Promise<void>
  /** Settles after the signal. */
  readonly done: Promise<void>
  /** Why the plugin has no valid token. */
  problem(): string | undefined
}

/**
 * Keeps a token of the plugin's own account in its file. It is bound to no pod, so that it outlives the agent's, is valid
 * for an hour and replaced before half of that is over. Every start requests a new one: that of the agent before stays
 * until then.
 */
export function keepPluginToken(services: PluginTokenServices): PluginToken {
  const { config, api, log, expiry, failed, reports, signal, pauseMs } = services
  const calm = calmLog(log, `tokens of service account ${config.account} are renewed again`)
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
      calm.worked()
      reports?.answered()
    },
    failed(error) {
      problem = problemOf(error, services)
      failed()
      calm.failed(problem)
      if (isKubeError(error)) reports?.failed(error)
    },
  })
  return { first, done, problem: () => ((expires() ?? 0) <= Date.now() ? problem : undefined) }
}

/** Removes the token; the kubeconfig that has it is the installer's. Returns the path if there was one. */
export const removePluginToken = ({ file }: PluginTokenConfig): string | undefined => tokenFile(file).remove()

// internal

function problemOf(error: unknown, { config, api }: PluginTokenServices): string {
  const what = `no token for service account ${config.account} in namespace ${printable(api.namespace)}`
  const hint =
    isKubeError(error) && error.status === 403
      ? '; the agent needs "create" on serviceaccounts/token of that name'
      : isKubeError(error) && error.status === 404
        ? '; does it exist?'
        : ''
  const said = isKubeError(error) ? error.said : undefined
  return `${what}: ${said ?? printable(messageOf(error))}${hint}`
}
