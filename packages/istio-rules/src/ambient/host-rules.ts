import type { Rule, Ruleset } from '@cni/iptables'
import { ruleset } from '@cni/iptables/rules'
import type { PodCapture } from './pod-rules.ts'

/**
 * Names of the two ipsets of mesh pods, one per address family. The comment of each entry is the UID of the entry's
 * pod.
 */
export const probeSetNames = { ipv4: 'istio-inpod-probes-v4', ipv6: 'istio-inpod-probes-v6' } as const

/**
 * Builds the node's iptables rules, which give kubelet's probes one source address. The pod's rules accept packets from
 * this address. Forwarded packets keep their source address. The jump comes first in POSTROUTING, because other plugins
 * also translate source addresses.
 */
export function hostRules({ ipv6, probeSource }: Pick<PodCapture, 'ipv6' | 'probeSource'>): Ruleset {
  return ruleset({ nat: ['ISTIO_POSTRT'] }, ({ nat }) =>
    [
      nat.insert('POSTROUTING', 1).jump('ISTIO_POSTRT'),
      nat.on('ISTIO_POSTRT').proto('tcp').socketExists().set(probeSetNames, 'dst').snat(probeSource),
    ].map((rule): Rule => (ipv6 ? rule : { ...rule, family: 'ipv4' })),
  )
}
