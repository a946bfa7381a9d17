import { iptables } from '@cni/iptables'
import type { NetnsTarget } from '@cni/netns'
import { nftables } from '@cni/nftables'
import { defaultProbeSource, type PodCapture } from '../../../istio-rules/src/ambient/pod-rules.ts'
import { allPodTables } from '../../../istio-rules/src/ambient/pod-tables.ts'
import { namespaceDrift, namespaceLeftovers } from '../../src/agent/ambient/namespace/enrol-namespace.ts'
import { nodeProbes } from '../../src/agent/ambient/node/node-probes.ts'
import type { AmbientConfig } from '../../src/agent/config/ambient-config.ts'
import type { AmbientBackEnd } from '../../src/agent/serve/ambient-status.ts'

/** Every way in which an agent can write its rules. */
export const backEnds: readonly AmbientBackEnd[] = ['nft', 'legacy', 'native']

/** The settings that ask for a back end. */
export const settingsFor = (backEnd: AmbientBackEnd): Partial<AmbientConfig> => ({
  nativeNftables: backEnd === 'native',
  forceIptablesBinary: backEnd === 'native' ? 'nft' : backEnd,
})

/** `address uid` of all that a node's sets hold. */
export async function entriesOf(netns: NetnsTarget, backEnd: AmbientBackEnd): Promise<string[]> {
  const place = backEnd === 'native' ? { native: { kubeletUid: 0 } } : { backend: backEnd }
  const { sets } = nodeProbes({ ipv6: true, probeSource: defaultProbeSource }, { netns, ...place })
  return (await sets.list()).map(({ address, uid }) => `${address} ${uid}`).toSorted()
}

/** Whether a pod that wishes nothing is captured, by whichever back end: `no`, `wholly`, or what is wrong. */
export async function capturedBy(netns: NetnsTarget, backEnd: AmbientBackEnd): Promise<string> {
  const rules = backEnd === 'native' ? { native: true } : { backend: backEnd }
  const left = await namespaceLeftovers(netns, capture, rules)
  if (left.length === 0) return 'no'
  const odd = await namespaceDrift(netns, capture, rules)
  return odd.length === 0 ? 'wholly' : odd.join('; ')
}

/** Takes something out of a pod's rules behind the agent's back. */
export async function damage(netns: NetnsTarget, backEnd: AmbientBackEnd): Promise<void> {
  if (backEnd !== 'native') {
    await iptables(netns, { backend: backEnd }).remove({ chains: [{ table: 'nat', name: 'ISTIO_OUTPUT' }], rules: [] })
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
