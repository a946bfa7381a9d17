import type { Rule, Ruleset } from '@cni/iptables'
import { ruleset } from '@cni/iptables/rules'
import type { CaptureConfig } from '../capture/config.ts'
import { chains, type Tables } from './chains.ts'
import { dnsRules } from './dns.ts'
import { capturedInbound, proxyPorts } from './inbound.ts'
import { excludedInterfaces, virtualInterfaces } from './interfaces.ts'
import { capturedRanges, outboundStart, uncapturedRanges } from './outbound.ts'
import { ownerGroupRules, proxyOwnerRules } from './owner-rules.ts'
import { tproxyLoops } from './tproxy.ts'

/**
 * Builds the iptables rules of a pod's redirection in Istio's order, for the captured families.
 *
 * @example
 * await iptables(c, { print: istioRestoreText }).apply(redirectRules(captureConfig(redirect, { ipv6: false })))
 */
export function redirectRules(config: CaptureConfig): Ruleset {
  return ruleset(chains, (t) =>
    [
      ...excludedInterfaces(t, config),
      ...virtualInterfaces(t, config),
      ...invalidDrops(t, config),
      ...proxyPorts(t, config),
      ...capturedInbound(t, config),
      ...outboundStart(t, config),
      ...proxyOwnerRules(t, config),
      ...ownerGroupRules(t, config),
      ...dnsRules(t, config),
      ...uncapturedRanges(t, config),
      ...capturedRanges(t, config),
      ...tproxyLoops(t, config),
    ].flatMap((rule) => inFamilies(rule, config)),
  )
}

/** Drops invalid packets, because the kernel's TCP reset would have untranslated addresses. */
function invalidDrops({ mangle }: Tables, { dropInvalid }: CaptureConfig): readonly Rule[] {
  if (!dropInvalid) return []
  return [mangle.on('PREROUTING').ctstate('INVALID').jump('ISTIO_DROP'), mangle.on('ISTIO_DROP').drop()]
}

/** Limits a rule to IPv4 if the configuration does not capture IPv6. */
function inFamilies(rule: Rule, { ipv6 }: CaptureConfig): readonly Rule[] {
  if (ipv6) return [rule]
  return rule.family === 'ipv6' ? [] : [{ ...rule, family: 'ipv4' }]
}
