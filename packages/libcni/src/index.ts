/**
 * The runtime side of CNI: load network configuration lists, run their chains of plugins, remember results.
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
// Result cache
export {
  type CacheFile,
  type CacheKey,
  cacheFile,
  DEFAULT_CACHE_DIR,
  listCachedAttachments,
  listCacheFiles,
  readCachedAttachment,
  readCachedResult,
  removeCache,
  writeCache,
} from './cache.ts'
export { type CacheRecord, decodeCacheRecord, encodeCacheRecord } from './cache-file.ts'
// Runtime
export { type Cni, cni, type GcArgs } from './cni.ts'
// cnitool
export { type CnitoolIo, runCnitool } from './cnitool/run-cnitool.ts'
export { capabilitiesOf, type Derivation, type DerivedConf, deriveConf, encodeConf } from './derive.ts'
// Errors
export { hintOf, isRuntimeError, RuntimeError, type RuntimeErrorCode } from './errors.ts'
export { type ExecutionReport, executionReport } from './execution-report.ts'
// Configuration
export { confFiles, type LoadOptions, loadConflist, loadConflistFile } from './load.ts'
// Loopback
export { addLoopback, delLoopback, loopbackList, loopbackOf } from './loopback.ts'
export { type NetworkList, parseNetworkList } from './network-list.ts'
// Metrics
export { type Durations, type OperationCounts, type OperationMetrics, operationMetrics } from './operation-metrics.ts'
export type { OperationReport } from './operation-report.ts'
// What would be executed, and what was
export { type Plan, type PlannedCall, type PlanRequest, planNetwork } from './plan.ts'
export { diffResults, formatChange, type ResultChange } from './result-diff.ts'
// Trying again
export { addWithRetry, needsDel, type RetryOptions, type RetryPolicy, retryDelay, withRetry } from './retry.ts'
export type { CniOptions, DelOptions, OperationOptions } from './runtime.ts'
export { staleAttachments } from './stale.ts'
