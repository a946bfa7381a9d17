import { nftRuleset, type Placed, type Ruleset } from '@cni/nftables/rules'
import type { CaptureConfig } from '../capture/config.ts'
import { dnsRules } from './dns.ts'
import { inUse } from './in-use.ts'
import { capturedInbound, proxyPorts } from './inbound.ts'
import { excludedInterfaces, virtualInterfaces } from './interfaces.ts'
import { capturedRanges, outboundStart, uncapturedRanges } from './outbound.ts'
import { ownerGroupRules, proxyOwnerRules } from './owner-rules.ts'
import { type Tables, tables } from './tables.ts'
import { tproxyMarks, tproxyReturns } from './tproxy.ts'

/**
 * Builds the nftables rules of a pod's redirection, as Istio's native mode writes them. Omits empty chains, jumps to
 * empty chains, and empty tables.
 *
 * @example
 * await nftables(c).apply(nativeRules(captureConfig(redirect, { ipv6: false })))
 */
export function nativeRules(config: CaptureConfig): Ruleset {
  const rules = nftRuleset('inet', tables, (t) => [
    ...virtualInterfaces(t, config),
    ...excludedInterfaces(t, config),
    ...invalidDrops(t, config),
    ...proxyPorts(t, config),
    ...tproxyReturns(t, config),
    ...capturedInbound(t, config),
    ...outboundStart(t, config),
    ...proxyOwnerRules(t, config),
    ...ownerGroupRules(t, config),
    ...dnsRules(t, config),
    ...uncapturedRanges(t, config),
    ...capturedRanges(t, config),
    ...tproxyMarks(t, config),
  ])
  return inUse(rules)
}

/** Drops invalid TCP packets, because the kernel's TCP reset would have untranslated addresses. */
function invalidDrops(t: Tables, { dropInvalid }: CaptureConfig): readonly Placed[] {
  if (!dropInvalid) return []
  const mangle = t['istio-proxy-mangle']
  return [
    mangle.on('prerouting').l4proto('tcp').ct('state', 'invalid').counter().jump('istio-drop'),
    mangle.on('istio-drop').counter().drop(),
  ]
}
