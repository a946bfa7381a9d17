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

export type { EnrolledAddress, KernelReport, KernelSide, NodePod, NodeZtunnel } from '../node-level/kernel-side.ts'
export { type AgentOptions, runAgent } from './agent.ts'
export { type ProbeEntry, probeSetNames } from './ambient/address-set.ts'
export type { AmbientConfig } from './ambient/ambient-config.ts'
export { type AmbientMetrics, ambientMetrics, type HealedPart, type ReconcileEvent } from './ambient/ambient-metrics.ts'
export { type AmbientPod, podAddresses, readAmbientPod } from './ambient/ambient-pod.ts'
export {
  type AmbientBackEnd,
  type AmbientStatus,
  type NodeLevelStatus,
  PENDING_SHOWN,
} from './ambient/ambient-status.ts'
export {
  annotationPatch,
  type EnrolmentOutcome,
  patchAfter,
  type RedirectionStatus,
  redirectionAnnotation,
  redirectionStatus,
} from './ambient/annotation.ts'
export {
  type BackEndChoice,
  type BackEndPlace,
  type BackEndWish,
  chooseBackEnd,
} from './ambient/back-end.ts'
export { type BranchInterfaces, branchInterfaces, needsBranchRoutes } from './ambient/branch-interfaces.ts'
export {
  type EnrolReport,
  enrolNamespace,
  namespaceDrift,
  namespaceLeftovers,
  releaseNamespace,
} from './ambient/enrol-namespace.ts'
export {
  belongsInSnapshot,
  decideEnrolment,
  type EnrolmentDecision,
  type EnrolmentSettings,
  type NotEnrolledReason,
  namespaceMatters,
  namespaceWarning,
} from './ambient/enrolment.ts'
export { hostRules, type NodeCapture } from './ambient/host-rules.ts'
export type { RulesLook, RulesOptions, RulesPlan } from './ambient/installed-rules.ts'
export { type KeepNodeEvent, type KeepNodeOptions, keepNode, type NodePart } from './ambient/keep-node.ts'
export { podTables } from './ambient/native/pod-tables.ts'
export { type KnownPod, type NetnsCache, type NetnsLease, netnsCache, type Workload } from './ambient/netns-cache.ts'
export { type EnrolmentStep, nextStep, type PodSituation, type Reached } from './ambient/next-step.ts'
export type { ChosenKernelSide, KernelSideOptions, MakeKernelSide } from './ambient/node-level/kernel-sides.ts'
export type { NodeLevelConfig } from './ambient/node-level/node-level-config.ts'
export { type NodeProbes, type NodeProbesOptions, nodeProbes } from './ambient/node-probes.ts'
export { type PodOverrides, podOverrides } from './ambient/pod-overrides.ts'
export { defaultProbeSource, type PodCapture, podRules } from './ambient/pod-rules.ts'
export type { MissingProbes, ProbeSets, SyncReport } from './ambient/probe-sets.ts'
export { backEndFile, type IptablesVariant } from './ambient/remembered-back-end.ts'
export { type StartAmbientOptions, type StartedAmbient, startAmbient } from './ambient/start-ambient.ts'
export { tellKeeping } from './ambient/tell-keeping.ts'
export type { ZdsConnection, ZdsEvent, ZdsOptions, ZdsPod, ZdsServer } from './ambient/zds/options.ts'
export { startZds } from './ambient/zds/server.ts'
export { isZdsError, ZdsError, type ZdsErrorCode } from './ambient/zds/zds-error.ts'
export { replyRoute } from './ambient/ztunnel.ts'
export type { AgentConfig } from './config/agent-config.ts'
export { ConfigError, isConfigError } from './config/config-error.ts'
export { type ConfigSource, loadConfig, watchConfigDir } from './config/source.ts'
export { type AgentLog, agentLog, type LogWriter } from './log/agent-log.ts'
export { agentPart, type Part } from './part.ts'
export { type PodWatches, podWatches, type WatchedPods } from './pods/pod-watches.ts'
export { DiscoveryError, isDiscoveryError } from './proc/discovery-error.ts'
export { type FoundNamespaces, findPodNamespaces } from './proc/find-pod-namespaces.ts'
export { kubeletUser } from './proc/kubelet-user.ts'
export { type RepairSurroundings, startRepair } from './repair/start-repair.ts'
export { type AgentIo, runInstallCni } from './run-install-cni.ts'
export type { BoundedOptions, CloseReason, ServerBounds } from './serve/bounded-connections.ts'
export { healthServer, type Readiness } from './serve/health.ts'
export type { LineFault } from './serve/log-entries.ts'
export { type LogServerOptions, logServer } from './serve/log-server.ts'
export { type MetricsRegistry, metricsRegistry, metricsServer } from './serve/metrics.ts'
export type { RefusedLines } from './serve/print-lines.ts'
