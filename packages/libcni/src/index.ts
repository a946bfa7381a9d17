/**
 * The runtime side of CNI: load network configuration lists, run their chains of plugins, cache results.
 *
 * @example
 * ```ts
 * import { cni, loadConflist } from '@cni/libcni'
 *
 * const runtime = cni({ path: ['/opt/cni/bin', '/usr/lib/cni'], timeout: 60_000 })
 * const list = loadConflist('/etc/cni/net.d', 'pods')
 * const pod = { containerID: 'c1', netns: '/run/netns/c1', ifName: 'eth0' }
 *
 * const { result } = await runtime.add(list, pod)
 * await runtime.check(list, pod)
 * await runtime.del(list, pod)
 * ```
 *
 * @module
 */

export type { Attachment, CachedAttachment } from './attachment.ts'
// Runtime
export { type Cni, cni } from './cni.ts'
// cnitool
export { type CnitoolIo, runCnitool } from './cnitool/run-cnitool.ts'
export { encodeConf } from './derive.ts'
// Errors
export { isRuntimeError, RuntimeError } from './errors.ts'
// Configuration
export { loadConflist, loadConflistFile } from './load.ts'
// Loopback
export { addLoopback, delLoopback } from './loopback.ts'
export { type NetworkList, parseNetworkList } from './network-list.ts'
// Plan
export { type Plan, type PlanRequest, planNetwork } from './plan.ts'
// Reports
export type { ExecutionReport } from './reports/execution-report.ts'
export { operationMetrics } from './reports/operation-metrics.ts'
export type { OperationReport } from './reports/operation-report.ts'
// Retries
export { addWithRetry, type RetryOptions, withRetry } from './retry.ts'
export type { CniOptions, OperationOptions } from './runtime.ts'
