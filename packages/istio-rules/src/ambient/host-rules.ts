import type { Rule, Ruleset } from '@cni/iptables'
import { ruleset } from '@cni/iptables/rules'
import type { PodCapture } from './pod-rules.ts'

/**
 * Names of the two ipsets, one per address family, with the addresses of pods in the mesh. The comment of each entry is
 * the UID of the pod that has the address.
 */
export const probeSetNames = { ipv4: 'istio-inpod-probes-v4', ipv6: 'istio-inpod-probes-v6' } as const

/**
 * Rules of the node that give the kubelet's probes a special source address (SNAT), which the pod's rules accept. The
 * SNAT applies to packets of all processes on the node to pods in the mesh. Forwarded packets keep their source
 * address. The jump comes first in POSTROUTING, because other plugins translate source addresses in POSTROUTING, too.
 */
export function hostRules({ ipv6, probeSource }: Pick<PodCapture, 'ipv6' | 'probeSource'>): Ruleset {
  return ruleset({ nat: ['ISTIO_POSTRT'] }, ({ nat }) =>
    [
      nat.insert('POSTROUTING', 1).jump('ISTIO_POSTRT'),
      nat.on('ISTIO_POSTRT').proto('tcp').socketExists().set(probeSetNames, 'dst').snat(probeSource),
    ].map((rule): Rule => (ipv6 ? rule : { ...rule, family: 'ipv4' })),
  )
}
