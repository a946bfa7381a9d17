/**
 * From a pod to the rules that Istio writes for it: the decision, the annotations, the rules of both back ends. Pure.
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
export { hostRules, type NodeCapture, probeSetNames } from './ambient/host-rules.ts'
export { hostTable, hostTables } from './ambient/host-tables.ts'
export { type PodOverrides, podOverrides } from './ambient/pod-overrides.ts'
export { defaultProbeSource, type PodCapture, podRules } from './ambient/pod-rules.ts'
export { allPodTables, podTables } from './ambient/pod-tables.ts'
export {
  HBONE_PORT,
  INBOUND_PORT,
  OUTBOUND_PORT,
  type PolicyRoute,
  QUERY_PORT,
  replyRoute,
  ZTUNNEL_MARK,
} from './ambient/ztunnel.ts'
export { PASSTHROUGH } from './capture/addresses.ts'
export type { Capture, PortOrRange } from './capture/capture.ts'
export {
  type CaptureConfig,
  captureConfig,
  capturedFamilies,
  type DnsCapture,
  tproxyDefaults,
} from './capture/config.ts'
export { familiesOf, type UsableAddresses, usableAddresses } from './capture/families.ts'
export { type Redirect, type RedirectOptions, redirectFor } from './capture/redirect.ts'
export { checkRuleCount, type RuleLists, ruleCount } from './capture/rule-count.ts'
export { type AmbientPod, podAddresses, readAmbientPod } from './decide/ambient-pod.ts'
export {
  type Ask,
  type DecideWithoutApiOptions,
  decideWithoutApi,
  podAnnotationsKey,
  podRef,
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
  type NotEnrolledReason,
  namespaceMatters,
  namespaceWarning,
} from './decide/enrolment.ts'
export { type LabelSelector, type Labels, selectorProblem, selects } from './decide/label-selector.ts'
export { maybeAmbient, skipReason } from './decide/ladder.ts'
export { type RedirectionStatus, redirectionStatus, writtenRedirection } from './decide/redirection-status.ts'
export { capturesDns } from './iptables/dns.ts'
export { rulesLeftBehind } from './iptables/left-behind.ts'
export { redirectRules } from './iptables/rules.ts'
export { istioRestoreText } from './iptables/text.ts'
export { nativeRules } from './nftables/rules.ts'
export { tableNames } from './nftables/table-names.ts'
export { interceptionModeKey } from './pod/annotations.ts'
export { listEntries } from './pod/list-entries.ts'
export { MAX_ID, type OwnerGroups } from './pod/owner-groups.ts'
export type { Pod, PodContainer } from './pod/pod.ts'
export { isPodIdentity, type PodIdentity } from './pod/pod-identity.ts'
export { type PodInfo, podInfo } from './pod/pod-info.ts'
export { type Environment, loopbackCidr } from './pod/proxy-env.ts'
export { isRedirectError, RedirectError, type RedirectSource } from './pod/redirect-error.ts'
export { type IpRanges, ipRanges, ports } from './pod/validators.ts'
export { virtualInterfaces } from './pod/virtual-interfaces.ts'
