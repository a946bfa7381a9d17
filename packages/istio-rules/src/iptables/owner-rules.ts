import type { Rule } from '@cni/iptables'
import { includesLoopback, loopback } from '../capture/addresses.ts'
import type { CaptureConfig } from '../capture/config.ts'
import { MAX_ID } from '../pod/owner-groups.ts'
import type { Tables } from './chains.ts'
import { capturesDns, DNS_PORT } from './dns.ts'

/** Excludes the proxy's traffic from redirection, except the proxy's calls to its own pod. */
export function proxyOwnerRules(t: Tables, config: CaptureConfig): readonly Rule[] {
  return [
    ...config.proxyUIDs.flatMap((id) => proxyOwner(t, config, 'uid', id)),
    ...config.proxyGIDs.flatMap((id) => proxyOwner(t, config, 'gid', id)),
  ]
}

function proxyOwner(
  { nat }: Tables,
  config: CaptureConfig,
  owner: 'uid' | 'gid',
  id: number | string,
): readonly Rule[] {
  const dns = capturesDns(config)
  const { inboundTunnelPort: tunnel } = config
  const lo = nat.on('ISTIO_OUTPUT').out('lo')
  const ownPod = lo.not.dst(loopback(config)).proto('tcp')
  // Excludes port 53 only from the rule for the proxy's user, as in Istio.
  const inbound = dns && owner === 'uid' ? ownPod.not.dports(DNS_PORT, tunnel) : ownPod.not.dport(tunnel)
  // Local connections of the application bypass the proxy. DNS queries reach the later DNS rules.
  const local = dns ? lo.proto('tcp').not.dport(DNS_PORT) : lo
  return [
    inbound[owner](id).jump('ISTIO_IN_REDIRECT'),
    ...(includesLoopback(config) ? [] : [local.not[owner](id).return()]),
    nat.on('ISTIO_OUTPUT')[owner](id).return(),
  ]
}

/** Excludes outbound traffic of some groups from capture. The sending process decides a packet's group. */
export function ownerGroupRules({ nat }: Tables, { ownerGroups: { mode, groups } }: CaptureConfig): readonly Rule[] {
  const output = nat.on('ISTIO_OUTPUT')
  if (mode === 'all-except') return groups.map((group) => output.gid(group).return())
  const numbers = groups.filter((group) => typeof group === 'number')
  if (numbers.length > MAX_CONDITIONS && numbers.length === groups.length) {
    // Uses ID ranges, because one rule has no room for all groups. Packets without a socket match no range.
    return [output.not.socketExists().return(), ...gaps(numbers).map((range) => output.gid(range).return())]
  }
  // One negated condition for each group. Without groups, the rule matches all packets.
  return [groups.reduce((rule, group) => rule.not.gid(group), output).return()]
}

/** Limit of group conditions per rule, because iptables-restore 1.8.9 accepts 255 arguments in a line. */
const MAX_CONDITIONS = 47

/** Computes the ranges of group IDs that cover every ID except the given IDs. */
function gaps(ids: readonly number[]): readonly string[] {
  const sorted = ids.toSorted((a, b) => a - b)
  return [...sorted, MAX_ID + 1]
    .map((end, i) => [(sorted[i - 1] ?? -1) + 1, end - 1] as const)
    .filter(([from, to]) => from <= to)
    .map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`))
}
