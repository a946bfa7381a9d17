/**
 * The node agent as a program runs it: `install-cni` with its command line, or ambient mode alone.
 *
 * @example
 * ```ts
 * import { ambientMetrics, metricsRegistry, podWatches } from '@cni/istio-redirect/agent'
 *
 * const metrics = metricsRegistry()
 * export const deps = { metrics: ambientMetrics(metrics), watches: podWatches() }
 * ```
 *
 * @module
 */

export { type AmbientMetrics, ambientMetrics } from './ambient/ambient-metrics.ts'
export { type StartAmbientOptions, type StartedAmbient, startAmbient } from './ambient/start-ambient.ts'
export type { AmbientConfig } from './config/ambient-config.ts'
export { type PodWatches, podWatches } from './pods/pod-watches.ts'
export { type AgentIo, runInstallCni } from './run-install-cni.ts'
export { type MetricsRegistry, metricsRegistry } from './serve/metrics.ts'
