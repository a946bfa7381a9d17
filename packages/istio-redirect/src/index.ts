/**
 * What `istio-cni` decides and writes, as functions: the decision ladder, annotations to a redirection, a redirection to
 * rules. Pure, but for {@link plugin}.
 *
 * @example
 * ```ts
 * import { captureConfig, istioRestoreText, podInfo, redirectFor, redirectRules } from '@cni/istio-redirect'
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

// the decision
export {
  type Ask,
  type BeforeAskingOptions,
  beforeAsking,
  podAnnotationsKey,
  type Skip,
} from './decide/before-asking.ts'
export { maybeAmbient, withoutSidecar } from './decide/ladder.ts'
// from a pod to rules
export type { Pod, PodContainer } from './kube/pod.ts'
// the plugin
export { type Conf, confSchema } from './plugin/conf.ts'
export { plugin } from './plugin/plugin.ts'
export { type EnablementSelector, type Settings, settingsOf } from './plugin/settings.ts'
export type { Capture } from './redirect/capture.ts'
export { type CaptureConfig, captureConfig, captureDefaults, type DnsCapture } from './redirect/config.ts'
export { nativeRules } from './redirect/native/rules.ts'
export { type PodInfo, podInfo } from './redirect/pod-info.ts'
export { type Redirect, type RedirectOptions, redirectFor } from './redirect/redirect.ts'
export { isRedirectError, RedirectError, type RedirectSource } from './redirect/redirect-error.ts'
export { redirectRules } from './redirect/rules.ts'
export { istioRestoreText } from './redirect/text.ts'
