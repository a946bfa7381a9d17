import type { Placed } from '@cni/nftables/rules'
import { includesLoopback, loopback } from '../capture/addresses.ts'
import type { CaptureConfig } from '../capture/config.ts'
import { capturesDns, DNS_PORT } from '../iptables/dns.ts'
import { ownerId } from './owners.ts'
import { ofIpv6, type Tables } from './tables.ts'

/** Excludes the proxy's traffic from redirection, except the proxy's calls to its own pod. */
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
  // Excludes port 53 only from the rule for the proxy's user, as in Istio.
  const spared = dns && key === 'skuid' ? [DNS_PORT, tunnel] : tunnel
  const ownPod = [tcp.ip('daddr').not(ipv4), ...ofIpv6(config, [tcp.ip6('daddr').not(ipv6)])]
  // Local connections of the application bypass the proxy. DNS queries reach the later DNS rules.
  const local = dns ? tcp.tcp('dport').not(DNS_PORT) : lo
  return [
    ...ownPod.map((rule) => rule.tcp('dport').not(spared)[key](id).counter().jump('istio-in-redirect')),
    ...(includesLoopback(config) ? [] : [local[key]().not(id).counter().return()]),
    output[key](id).counter().return(),
  ]
}

/** Excludes outbound traffic of some groups from capture. The sending process decides a packet's group. */
export function ownerGroupRules(t: Tables, { ownerGroups: { mode, groups } }: CaptureConfig): readonly Placed[] {
  const output = t['istio-proxy-nat'].on('istio-output')
  const ids = groups.map(ownerId)
  if (mode === 'all-except') return ids.map((id) => output.skgid(id).counter().return())
  // Uses one negated set, because a rule has no room for this many conditions.
  if (ids.length > MAX_CONDITIONS) return [output.skgid().not(ids).counter().return()]
  // One negated condition for each group. Without groups, the rule matches all packets.
  return [
    ids
      .reduce((rule, id) => rule.skgid().not(id), output)
      .counter()
      .return(),
  ]
}

/** Limit of group conditions per rule, because the kernel accepts 128 expressions in a rule. */
const MAX_CONDITIONS = 63
