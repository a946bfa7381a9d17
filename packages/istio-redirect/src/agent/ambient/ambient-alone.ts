import type { ServiceAccount } from '@cni/kube'
import type { AmbientConfig } from '../config/ambient-config.ts'
import { podWatches } from '../pods/pod-watches.ts'
import type { AmbientStatus } from '../serve/ambient-status.ts'
import { metricsRegistry } from '../serve/metrics.ts'
import { ambientMetrics } from './ambient-metrics.ts'
import { startAmbientMode } from './start-ambient.ts'

/** Options of {@link startAmbient}, which starts ambient mode alone. */
export interface StartAmbientOptions {
  readonly config: AmbientConfig
  /**
   * Access to the API server of Kubernetes. `namespace` is the agent's own Kubernetes namespace, or `''` if unknown.
   */
  readonly api: ServiceAccount & { readonly namespace: string }
  readonly log: Readonly<
    Record<
      'debug' | 'info' | 'warn' | 'error',
      (msg: string, labels?: Readonly<Record<string, string | number | boolean | undefined>>) => void
    >
  >
  /** Called after each failed attempt to listen for plugins, or to run ambient mode. */
  readonly failed?: (() => void) | undefined
  /** Called with the reason when the agent has closed a plugin's connection before the answer. */
  readonly closed?: ((reason: string) => void) | undefined
  /** Root of the node's files. Default: `/host` if it exists, as in a pod of the agent. */
  readonly hostRoot?: string | undefined
}

/** Handle by which the caller queries and stops a running ambient mode. */
export interface StartedAmbient {
  status(): AmbientStatus
  /** Returns the error that stops all of ambient mode, or `undefined`. */
  problem(): string | undefined
  /**
   * Returns the reason why ambient mode is not ready, for the readiness probe. Ambient mode stays ready after its
   * start, even if the API server fails.
   */
  unready(): string | undefined
  /** Prints the metrics of ambient mode in the text format of Prometheus. */
  metrics(): Promise<string>
  /**
   * Stops ambient mode. Only the reason `removed` also removes the rules and sets from the node. Use `followed` if
   * another agent takes over, and `exchanged` for new settings.
   */
  stop(why: 'followed' | 'removed' | 'exchanged'): Promise<void>
}

/**
 * Starts only ambient mode, without the agent's other services. Until ambient mode works, the agent refuses the pods
 * that plugins report. Retries after every error.
 */
export async function startAmbient(options: StartAmbientOptions): Promise<StartedAmbient> {
  const registry = metricsRegistry()
  const help = 'Requests of plugins that hand over pods'
  const { status, problem, unready, stop } = await startAmbientMode({
    ...options,
    watches: podWatches(),
    metrics: ambientMetrics(registry),
    requests: registry.counter('istio_cni_plugin_requests_total', help, ['response_code']),
    failed: options.failed ?? (() => {}),
    closed: options.closed ?? (() => {}),
  })
  return { status, problem, unready, stop, metrics: () => registry.text() }
}
