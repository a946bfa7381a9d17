import type { ServiceAccount } from '@cni/kube'
import type { AmbientConfig } from '../config/ambient-config.ts'
import { podWatches } from '../pods/pod-watches.ts'
import type { AmbientStatus } from '../serve/ambient-status.ts'
import { metricsRegistry } from '../serve/metrics.ts'
import { ambientMetrics } from './ambient-metrics.ts'
import { startAmbientMode } from './start-ambient.ts'

/** Options of {@link startAmbient}. */
export interface StartAmbientOptions {
  readonly config: AmbientConfig
  /** The API server, and the agent's own namespace, which may be empty. */
  readonly api: ServiceAccount & { readonly namespace: string }
  readonly log: Readonly<
    Record<
      'debug' | 'info' | 'warn' | 'error',
      (msg: string, labels?: Readonly<Record<string, string | number | boolean | undefined>>) => void
    >
  >
  /** Called after each failed attempt to listen for plugins, or to run ambient mode. */
  readonly failed?: (() => void) | undefined
  /** Called when a connection of a plugin was closed before its time. */
  readonly closed?: ((reason: string) => void) | undefined
  /** The root of the node's files. Default: `/host` where that is, as in a pod. */
  readonly hostRoot?: string | undefined
}

/** Ambient mode that was started. */
export interface StartedAmbient {
  status(): AmbientStatus
  /** Error that keeps all of ambient mode from working. */
  problem(): string | undefined
  /**
   * Reason why it is not ready. An API server that is away is no reason once ambient mode works: pods stay where they are, and
   * another agent in its place would know less.
   */
  unready(): string | undefined
  /** Metrics in the text format of Prometheus. */
  metrics(): Promise<string>
  /**
   * Ends ambient mode. `removed` takes everything out of the node; `followed` and `exchanged` leave it for the next agent, or
   * for other settings.
   */
  stop(why: 'followed' | 'removed' | 'exchanged'): Promise<void>
}

/**
 * Starts ambient mode without the rest of the agent. Plugins can hand pods over at once, and are refused until ambient mode
 * works. Retries after every error.
 */
export async function startAmbient(options: StartAmbientOptions): Promise<StartedAmbient> {
  const registry = metricsRegistry()
  const help = 'Requests of plugins that hand pods over'
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
