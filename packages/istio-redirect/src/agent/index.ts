/**
 * The node agent `install-cni` and the parts it is made of.
 *
 * @example
 * ```ts
 * import { createMetrics, healthServer, metricsServer } from '@cni/istio-redirect/agent'
 *
 * export const health = healthServer(() => ({ ready: true, reasons: [] }))
 * export const metrics = metricsServer(createMetrics())
 * ```
 *
 * @module
 */

export { type AgentOptions, runAgent } from './agent.ts'
export type { AgentConfig } from './config/agent-config.ts'
export { ConfigError } from './config/config-error.ts'
export { type ConfigSource, loadConfig, watchConfigDir } from './config/source.ts'
export { type AgentLog, createAgentLog, type LogWriter } from './log/agent-log.ts'
export { createPart, type Part } from './part.ts'
export { type RepairSurroundings, startRepair } from './repair/start-repair.ts'
export { type AgentIo, runInstallCni } from './run-install-cni.ts'
export type { BoundedServerOptions, CloseReason, ServerBounds } from './serve/bounded-server.ts'
export { healthServer, type Readiness } from './serve/health.ts'
export type { Refusal } from './serve/log-entries.ts'
export { type LogServerOptions, logServer } from './serve/log-server.ts'
export { createMetrics, type MetricsRegistry, metricsServer } from './serve/metrics.ts'
