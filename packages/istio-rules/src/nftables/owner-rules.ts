import type { Placed } from '@cni/nftables/rules'
import { includesLoopback, loopback } from '../capture/addresses.ts'
import type { CaptureConfig } from '../capture/config.ts'
import { capturesDns, DNS_PORT } from '../iptables/dns.ts'
import { ownerId } from './owners.ts'
import { ofIpv6, type Tables } from './tables.ts'

/**
 * Keeps the proxy's own traffic from being redirected again. Exception: the proxy calls its own pod by a service
 * address.
 */
export function proxyOwnerRules(t: Tables, config: CaptureConfig): readonly Placed[] {
  return [
    ...config.proxyUIDs.flatMap((id) => proxyOwner(t, config, 'skuid', id)),
    ...config.proxyGIDs.flatMap((id) => proxyOwner(t, config, 'skgid', id)),
  ]
}

function proxyOwner(
  t: Tables,
  config: CaptureConfig,
  key: 'skuid' | 'skgid',
  owner: number | string,
): readonly Placed[] {
  const id = ownerId(owner)
  const dns = capturesDns(config)
  const { inboundTunnelPort: tunnel } = config
  const { ipv4, ipv6 } = loopback(config)
  const output = t['istio-proxy-nat'].on('istio-output')
  const lo = output.oifname('lo')
  const tcp = lo.l4proto('tcp')
  // With DNS capture only the rule for the user excludes port 53, and the rule for the group does not. Istio does the
  // same.
  const spared = dns && key === 'skuid' ? [DNS_PORT, tunnel] : tunnel
  const ownPod = [tcp.ip('daddr').not(ipv4), ...ofIpv6(config, [tcp.ip6('daddr').not(ipv6)])]
  // An application connects to itself directly, but the DNS rules below still apply to its queries.
  const local = dns ? tcp.tcp('dport').not(DNS_PORT) : lo
  return [
    ...ownPod.map((rule) => rule.tcp('dport').not(spared)[key](id).counter().jump('istio-in-redirect')),
    ...(includesLoopback(config) ? [] : [local[key]().not(id).counter().return()]),
    output[key](id).counter().return(),
  ]
}

/** Excludes the traffic of some groups, or of all other groups. */
export function ownerGroupRules(t: Tables, { ownerGroups: { mode, groups } }: CaptureConfig): readonly Placed[] {
  const output = t['istio-proxy-nat'].on('istio-output')
  const ids = groups.map(ownerId)
  if (mode === 'all-except') return ids.map((id) => output.skgid(id).counter().return())
  // A packet without a socket has no group. It matches neither form of the rule below.
  if (ids.length > MAX_CONDITIONS) return [output.skgid().not(ids).counter().return()]
  // One rule with a negated condition for each group. Without groups the rule matches all packets.
  return [
    ids
      .reduce((rule, id) => rule.skgid().not(id), output)
      .counter()
      .return(),
  ]
}

/**
 * Limit of conditions per rule. The kernel accepts 128 expressions: two for each condition, the counter and the
 * verdict.
 */
const MAX_CONDITIONS = 63
