/**
 * Redirection rules that Istio writes for a pod, for iptables and nftables. Also decides if a pod is redirected. All
 * functions are pure.
 *
 * @example
 * ```ts
 * import { captureConfig, istioRestoreText, podInfo, redirectFor, redirectRules } from '@cni/istio-rules'
 *
 * const pod = podInfo({
 *   metadata: { namespace: 'demo', name: 'web', annotations: { 'traffic.sidecar.istio.io/excludeOutboundPorts': '53' } },
 *   spec: { containers: [{ name: 'istio-proxy' }] },
 * })
 * const rules = redirectRules(captureConfig(redirectFor(pod), { ipv6: false }))
 * export const text = istioRestoreText(rules, 'ipv4')
 * ```
 *
 * @module
 */

export { ambientAnnotations } from './ambient/ambient-annotations.ts'
export { hostRules, probeSetNames } from './ambient/host-rules.ts'
export { hostTable, hostTables } from './ambient/host-tables.ts'
export { podOverrides } from './ambient/pod-overrides.ts'
export { defaultProbeSource, type PodCapture, podRules } from './ambient/pod-rules.ts'
export { allPodTables, podTables } from './ambient/pod-tables.ts'
export {
  HBONE_PORT,
  INBOUND_PORT,
  OUTBOUND_PORT,
  QUERY_PORT,
  replyRoute,
  ZTUNNEL_MARK,
} from './ambient/ztunnel.ts'
export type { Capture } from './capture/capture.ts'
export { type CaptureConfig, captureConfig, capturedFamilies } from './capture/config.ts'
export { familiesOf, usableAddresses } from './capture/families.ts'
export { type Redirect, redirectFor } from './capture/redirect.ts'
export { ruleCount } from './capture/rule-count.ts'
export { type AmbientPod, podAddresses, readAmbientPod } from './decide/ambient-pod.ts'
export {
  decideWithoutApi,
  podAnnotationsKey,
  redirectionAnnotation,
  type Skip,
  statusAnnotation,
} from './decide/decide-without-api.ts'
export type { DecisionSettings, EnablementSelector } from './decide/decision-settings.ts'
export {
  belongsInSnapshot,
  decideEnrolment,
  type EnrolmentDecision,
  type EnrolmentSettings,
  isZtunnel,
  namespaceMatters,
  namespaceWarning,
} from './decide/enrolment.ts'
export { type LabelSelector, type Labels, selectorProblem, selects } from './decide/label-selector.ts'
export { type RedirectionStatus, redirectionStatus } from './decide/redirection-status.ts'
export { maybeAmbient, skipReason } from './decide/skip-reason.ts'
export { rulesLeftBehind } from './iptables/left-behind.ts'
export { redirectRules } from './iptables/rules.ts'
export { istioRestoreText } from './iptables/text.ts'
export { nativeRules } from './nftables/rules.ts'
export { tableNames } from './nftables/table-names.ts'
export type { Pod } from './pod/pod.ts'
export { isPodIdentity, type PodIdentity, podRef } from './pod/pod-identity.ts'
export { type PodInfo, podInfo } from './pod/pod-info.ts'
export { isRedirectError, RedirectError } from './pod/redirect-error.ts'
export type { IpRanges } from './pod/validators.ts'
export { nodeCapture } from './texts/node-capture.ts'
export { type CaptureTexts, parseCapture } from './texts/parse-capture.ts'
export { nativeChart, rulesChart } from './texts/rules-chart.ts'
