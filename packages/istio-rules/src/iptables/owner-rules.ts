import type { Rule } from '@cni/iptables'
import { includesLoopback, loopback } from '../capture/addresses.ts'
import type { CaptureConfig } from '../capture/config.ts'
import { MAX_ID } from '../pod/owner-groups.ts'
import type { Tables } from './chains.ts'
import { capturesDns, DNS_PORT } from './dns.ts'

/** What the proxy sends is not sent to the proxy again, unless it calls its own pod through a service address. */
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
  // with DNS captured only the user's rule spares port 53, not the group's: Istio does so
  const inbound = dns && owner === 'uid' ? ownPod.not.dports(DNS_PORT, tunnel) : ownPod.not.dport(tunnel)
  // an application talks to itself directly, but its queries still go through the DNS rules below
  const local = dns ? lo.proto('tcp').not.dport(DNS_PORT) : lo
  return [
    inbound[owner](id).jump('ISTIO_IN_REDIRECT'),
    ...(includesLoopback(config) ? [] : [local.not[owner](id).return()]),
    nat.on('ISTIO_OUTPUT')[owner](id).return(),
  ]
}

/** The traffic of some groups is left alone, or that of all but some. */
export function ownerGroupRules({ nat }: Tables, { ownerGroups: { mode, groups } }: CaptureConfig): readonly Rule[] {
  const output = nat.on('ISTIO_OUTPUT')
  if (mode === 'all-except') return groups.map((group) => output.gid(group).return())
  const numbers = groups.filter((group) => typeof group === 'number')
  if (numbers.length > MAX_CONDITIONS && numbers.length === groups.length) {
    // a packet without a socket has no group; a negated condition would match it, a range does not
    return [output.not.socketExists().return(), ...gaps(numbers).map((range) => output.gid(range).return())]
  }
  // in none of the groups: one rule with a condition for each; without groups it returns for everybody
  return [groups.reduce((rule, group) => rule.not.gid(group), output).return()]
}

/** iptables-restore 1.8.9 reads 255 arguments in a line ("Parser cannot handle more arguments"), a condition has 5. */
const MAX_CONDITIONS = 47

/** The ranges of ids between the given ones. */
function gaps(ids: readonly number[]): readonly string[] {
  const sorted = ids.toSorted((a, b) => a - b)
  return [...sorted, MAX_ID + 1]
    .map((end, i) => [(sorted[i - 1] ?? -1) + 1, end - 1] as const)
    .filter(([from, to]) => from <= to)
    .map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`))
}
