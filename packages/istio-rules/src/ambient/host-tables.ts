import { base, nftRuleset, type Ruleset, set } from '@cni/nftables/rules'
import { probeSetNames } from './host-rules.ts'
import type { PodCapture } from './pod-rules.ts'

/** Name of the nf_tables table with the node's rules and sets for ambient mode. */
export const hostTable = 'istio-ambient-nat'

/**
 * Creates the node's nf_tables table for kubelet's probes, like `hostRules` for iptables. Declares empty sets for pod
 * addresses. Only Istio writes this table. The rules match kubelet's user, because nf_tables cannot match all processes
 * of a node.
 */
export function hostTables({
  ipv6,
  probeSource,
  kubeletUid,
}: Pick<PodCapture, 'ipv6' | 'probeSource'> & { readonly kubeletUid: number }): Ruleset {
  const options = { comment: 'UUID of the pods that are part of ambient mesh' } as const
  const v4 = { [probeSetNames.ipv4]: set('ipv4_addr', options) } as const
  const v6 = { [probeSetNames.ipv6]: set('ipv6_addr', options) } as const
  const postrouting = { postrouting: base('nat', 'postrouting', 100) } as const
  if (!ipv6) {
    return nftRuleset('inet', { [hostTable]: { ...v4, ...postrouting } } as const, (t) => {
      const probe = t[hostTable].on('postrouting').l4proto('tcp').skuid(kubeletUid)
      return [probe.ip('daddr', { named: probeSetNames.ipv4 }).counter().snat('ip', probeSource.ipv4)]
    })
  }
  return nftRuleset('inet', { [hostTable]: { ...v4, ...v6, ...postrouting } } as const, (t) => {
    const probe = t[hostTable].on('postrouting').l4proto('tcp').skuid(kubeletUid)
    return [
      probe.ip('daddr', { named: probeSetNames.ipv4 }).counter().snat('ip', probeSource.ipv4),
      probe.ip6('daddr', { named: probeSetNames.ipv6 }).counter().snat('ip6', probeSource.ipv6),
    ]
  })
}
