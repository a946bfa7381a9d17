import { mutex } from '@cni/host'
import { ipset } from '@cni/ipset'
import { hostRules, hostTables, type PodCapture, probeSetNames } from '@cni/istio-rules'
import type { NetnsTarget } from '@cni/netns'
import type { ApplyPlan } from '../../../backend.ts'
import { installedRules, type RulesLook, type RulesOptions } from '../rules/installed-rules.ts'
import { type AddressSet, ipsetNames, ipsetOf, removeIpsets } from './address-set.ts'
import { nftSetOf } from './nft-address-set.ts'
import { type ProbeSets, probeSets } from './probe-sets.ts'

/** Options of {@link nodeProbes}, the manager of the node's address sets and rules. */
export interface NodeProbesOptions extends Pick<RulesOptions, 'backend' | 'programs'> {
  /** Network namespace of the node. Default: the namespace that this process was started in. */
  readonly netns?: NetnsTarget | undefined
  /**
   * Selects the native back end: one nftables table instead of iptables rules and ipset sets.
   *
   * The native rules match packets by the kubelet's user ID. Reason: these rules cannot distinguish packets of the node
   * itself from forwarded packets.
   */
  readonly native?: { readonly kubeletUid: number } | undefined
}

/**
 * Objects of ambient mode on the node: sets of pod addresses, and rules by which the kubelet's probes of these pods
 * bypass the mesh.
 */
export interface NodeProbes {
  readonly sets: ProbeSets
  /**
   * Installs the node's address sets and rules. Existing sets and rules stay, with their entries. Removes sets that the
   * rules do not need, and all objects of the back end that is not selected.
   */
  apply(): Promise<ApplyPlan>
  /**
   * Describes differences of the node from the sets and rules that {@link NodeProbes.apply} installs. Ignores the
   * entries of the sets.
   */
  drift(): Promise<string[]>
  /** Removes the rules of ambient mode and the address sets with all entries from the node. */
  remove(): Promise<void>
  /**
   * Watches the node's rules until the signal aborts, but not its address sets. Yields when the rules differ from the
   * rules that `apply` installed.
   *
   * The nftables back end reports changes at once. With iptables, the rules are checked several times a second.
   */
  watch(signal: AbortSignal): AsyncGenerator<RulesLook, void, void>
}

/** Creates the manager of the node's address sets and rules for ambient mode. */
export function nodeProbes(
  capture: Pick<PodCapture, 'ipv6' | 'probeSource'>,
  options: NodeProbesOptions = {},
): NodeProbes {
  const { netns = 'host', native, backend, programs } = options
  const families = capture.ipv6 ? (['ipv4', 'ipv6'] as const) : (['ipv4'] as const)
  const tables = hostTables({ ...capture, kubeletUid: native?.kubeletUid ?? 0 })
  const rules = installedRules(
    netns,
    { iptables: hostRules(capture), nftables: { wanted: tables, all: tables } },
    // Keeps unknown Istio chains on the node. Such chains belong to sidecars of pods on the host network, or to another
    // Istio version.
    { backend, programs, native: native !== undefined, reconcile: false },
  )
  const ipsets = ipset(netns)
  const everyIpset = (['ipv4', 'ipv6'] as const).map((family) => ipsetOf(ipsets, family))
  const used: readonly AddressSet[] = native
    ? families.map((family) => nftSetOf(netns, family))
    : everyIpset.filter(({ family }) => family === 'ipv4' || capture.ipv6)
  const needless = everyIpset.filter((set) => !used.includes(set))
  const sets = probeSets(used)
  const oneByOne = mutex()
  return {
    sets,
    apply: () =>
      oneByOne(async () => {
        // Creates the address sets before the rules, because a rule can only refer to an existing set. Removes unneeded
        // sets last, because a set in use cannot be removed.
        await sets.create()
        const { plan } = await rules.apply()
        await removeIpsets(needless)
        return plan
      }),
    async drift() {
      const there = await ipsetNames(ipsets)
      return [
        ...(native ? [] : families.map((family) => probeSetNames[family]))
          .filter((name) => !there.includes(name))
          .map((name) => `missing set ${name}`),
        ...needless
          .map(({ family }) => probeSetNames[family])
          .filter((name) => there.includes(name))
          .map((name) => `unexpected set ${name}`),
        ...(await rules.drift()),
      ]
    },
    remove: () =>
      oneByOne(async () => {
        await rules.remove()
        await removeIpsets(everyIpset)
      }),
    watch: (signal) => rules.watch(signal),
  }
}
