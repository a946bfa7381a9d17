import type { Placed } from '@cni/nftables/rules'
import { includesLoopback, loopback } from '../capture/addresses.ts'
import type { CaptureConfig } from '../capture/config.ts'
import { capturesDns, DNS_PORT } from '../iptables/dns.ts'
import { ownerId } from './owners.ts'
import { ofIpv6, type Tables } from './tables.ts'

/** What the proxy sends is not sent to the proxy again, unless it calls its own pod through a service address. */
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
  // With DNS captured only the user's rule spares port 53, not the group's: Istio does so.
  const spared = dns && key === 'skuid' ? [DNS_PORT, tunnel] : tunnel
  const ownPod = [tcp.ip('daddr').not(ipv4), ...ofIpv6(config, [tcp.ip6('daddr').not(ipv6)])]
  // An application talks to itself directly, but its queries still go through the DNS rules below.
  const local = dns ? tcp.tcp('dport').not(DNS_PORT) : lo
  return [
    ...ownPod.map((rule) => rule.tcp('dport').not(spared)[key](id).counter().jump('istio-in-redirect')),
    ...(includesLoopback(config) ? [] : [local[key]().not(id).counter().return()]),
    output[key](id).counter().return(),
  ]
}

/** The traffic of some groups is left alone, or that of all but some. */
export function ownerGroupRules(t: Tables, { ownerGroups: { mode, groups } }: CaptureConfig): readonly Placed[] {
  const output = t['istio-proxy-nat'].on('istio-output')
  const ids = groups.map(ownerId)
  if (mode === 'all-except') return ids.map((id) => output.skgid(id).counter().return())
  // A packet without a socket has no group: it is in none of them, and yet matches neither of these forms.
  if (ids.length > MAX_CONDITIONS) return [output.skgid().not(ids).counter().return()]
  // In none of the groups: one rule with a condition for each; without groups it returns for everybody.
  return [
    ids
      .reduce((rule, id) => rule.skgid().not(id), output)
      .counter()
      .return(),
  ]
}

/** The kernel takes 128 expressions in a rule: two for each condition, the counter and the verdict. */
const MAX_CONDITIONS = 63
