import { iptables } from '@cni/iptables'
import { allPodTables, defaultProbeSource, type PodCapture } from '@cni/istio-rules'
import type { NetnsTarget } from '@cni/netns'
import { nftables } from '@cni/nftables'
import { namespaceDrift, namespaceLeftovers } from '../../src/agent/ambient/namespace/enrol-namespace.ts'
import { nodeProbes } from '../../src/agent/ambient/node/node-probes.ts'
import type { AmbientConfig } from '../../src/agent/config/ambient-config.ts'
import type { Backend } from '../../src/backend.ts'

/** Back ends with which the agent's ambient mode can write its rules. */
export const backends: readonly Backend[] = ['iptables-nft', 'iptables-legacy', 'nftables']

/** Returns the agent's settings that select the back end of its rules. */
export const settingsFor = (backend: Backend): Partial<AmbientConfig> => ({
  nativeNftables: backend === 'nftables',
  forceIptablesBinary: backend === 'iptables-legacy' ? 'legacy' : 'nft',
})

/** Lists the pod addresses in the node's sets for kubelet's probes, as `address uid`. */
export async function entriesOf(netns: NetnsTarget, backend: Backend): Promise<string[]> {
  const place = backend === 'nftables' ? { native: { kubeletUid: 0 } } : { backend }
  const { sets } = nodeProbes({ ipv6: true, probeSource: defaultProbeSource }, { netns, ...place })
  return (await sets.list()).map(({ address, uid }) => `${address} ${uid}`).toSorted()
}

/** Compares the rules in a pod with ambient mode's default rules. */
export async function capturedBy(netns: NetnsTarget, backend: Backend): Promise<string> {
  const rules = backend === 'nftables' ? { native: true } : { backend }
  const left = await namespaceLeftovers(netns, capture, rules)
  if (left.length === 0) return 'no'
  const odd = await namespaceDrift(netns, capture, rules)
  return odd.length === 0 ? 'wholly' : odd.join('; ')
}

/** Removes one of the agent's rules from a pod, as another program could do. */
export async function damage(netns: NetnsTarget, backend: Backend): Promise<void> {
  if (backend !== 'nftables') {
    await iptables(netns, { backend }).remove({ chains: [{ table: 'nat', name: 'ISTIO_OUTPUT' }], rules: [] })
    return
  }
  const [first] = allPodTables().tables
  if (first !== undefined) await nftables(netns).remove({ tables: [first] })
}

// internal

const capture: PodCapture = {
  ipv6: true,
  dnsCapture: true,
  bypassInbound: false,
  virtualInterfaces: [],
  probeSource: defaultProbeSource,
}
