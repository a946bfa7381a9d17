import type { Rule, Ruleset } from '@cni/iptables'
import { ruleset } from '@cni/iptables/rules'
import type { PodCapture } from './pod-rules.ts'

/** Sets that hold the addresses of the pods in the mesh; the comment of an entry is the UID of its pod. */
export const probeSetNames = { ipv4: 'istio-inpod-probes-v4', ipv6: 'istio-inpod-probes-v6' } as const

/**
 * Rules of the node that make the kubelet's probes recognisable: what a process of the node sends to a pod in the mesh
 * gets a source that the pod's rules let pass. What is only forwarded keeps its own. First in its chain: other plugins
 * translate sources there, too.
 */
export function hostRules({ ipv6, probeSource }: Pick<PodCapture, 'ipv6' | 'probeSource'>): Ruleset {
  return ruleset({ nat: ['ISTIO_POSTRT'] }, ({ nat }) =>
    [
      nat.insert('POSTROUTING', 1).jump('ISTIO_POSTRT'),
      nat.on('ISTIO_POSTRT').proto('tcp').socketExists().set(probeSetNames, 'dst').snat(probeSource),
    ].map((rule): Rule => (ipv6 ? rule : { ...rule, family: 'ipv4' })),
  )
}
