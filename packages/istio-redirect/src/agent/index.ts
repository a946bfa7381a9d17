/**
 * The node agent `install-cni` and the parts it is made of.
 *
 * @example
 * ```ts
 * import { metricsRegistry, healthServer, metricsServer } from '@cni/istio-redirect/agent'
 *
 * export const health = healthServer(() => ({ ready: true, reasons: [] }))
 * export const metrics = metricsServer(metricsRegistry())
 * ```
 *
 * @module
 */

export { type AgentOptions, runAgent } from './agent.ts'
export type { AgentConfig } from './config/agent-config.ts'
export { ConfigError, isConfigError } from './config/config-error.ts'
export { type ConfigSource, loadConfig, watchConfigDir } from './config/source.ts'
export { type AgentLog, agentLog, type LogWriter } from './log/agent-log.ts'
export { agentPart, type Part } from './part.ts'
export { type RepairSurroundings, startRepair } from './repair/start-repair.ts'
export { type AgentIo, runInstallCni } from './run-install-cni.ts'
export type { BoundedServerOptions, CloseReason, ServerBounds } from './serve/bounded-server.ts'
export { healthServer, type Readiness } from './serve/health.ts'
export type { LineFault } from './serve/log-entries.ts'
export { type LogServerOptions, logServer } from './serve/log-server.ts'
export { type MetricsRegistry, metricsRegistry, metricsServer } from './serve/metrics.ts'
