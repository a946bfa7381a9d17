/**
 * Pod → redirection → rules → text, without side effects.
 *
 * @example
 * const redirect = redirectFor(podInfo(pod))
 * const { ipv6 } = familiesOf(addresses, redirect.dualStack)
 * const rules = redirectRules(captureConfig(redirect, { ipv6 }))
 * await iptables(c, { print: istioRestoreText }).apply(rules)
 *
 * @module
 */
export { type Annotation, annotations, hasAnnotation, readAnnotation } from './annotations.ts'
export { type CaptureConfig, captureConfig, captureDefaults, type DnsCapture } from './config.ts'
export { type Families, familiesOf } from './families.ts'
export type { OwnerGroups } from './owner-groups.ts'
export { type Pod, type PodContainer, type PodInfo, PROXY_CONTAINER, podInfo, podName } from './pod-info.ts'
export type { Environment, RedirectLog } from './proxy-env.ts'
export { capturesNothing, type Redirect, type RedirectOptions, redirectFor } from './redirect.ts'
export { RedirectError } from './redirect-error.ts'
export { redirectRules } from './rules.ts'
export { istioRestoreText } from './text.ts'
export type { InterceptionMode, IpRanges } from './validators.ts'
