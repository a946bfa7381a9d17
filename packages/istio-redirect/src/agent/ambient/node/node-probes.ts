import { mutex } from '@cni/host'
import { ipset } from '@cni/ipset'
import { hostRules, hostTables, type PodCapture, probeSetNames } from '@cni/istio-rules'
import type { NetnsTarget } from '@cni/netns'
import type { ApplyPlan } from '../../../backend.ts'
import { installedRules, type RulesCheck, type RulesOptions } from '../rules/installed-rules.ts'
import { type AddressSet, ipsetNames, ipsetOf, removeIpsets } from './address-set.ts'
import { nftSetOf } from './nft-address-set.ts'
import { type ProbeSets, probeSets } from './probe-sets.ts'

/** Options of {@link nodeProbes}, the manager of the node's address sets and rules. */
export interface NodeProbesOptions extends Pick<RulesOptions, 'backend' | 'programs'> {
  /** Network namespace of the node. Default: the namespace that this process was started in. */
  readonly netns?: NetnsTarget | undefined
  /** Selects native nftables. The rules match only packets of the user `kubeletUid`, not forwarded packets. */
  readonly native?: { readonly kubeletUid: number } | undefined
}

/** Rules and address sets of the node by which the kubelet's probes bypass the mesh. */
export interface NodeProbes {
  readonly sets: ProbeSets
  /** Installs the node's address sets and rules, and removes unneeded sets. */
  apply(): Promise<ApplyPlan>
  /**
   * Describes differences from the sets and rules that {@link NodeProbes.apply} installs. Ignores the sets' entries.
   */
  drift(): Promise<string[]>
  /** Removes ambient mode's rules and address sets, with their entries, from the node. */
  remove(): Promise<void>
  /** Watches the node's rules until the signal aborts. Yields the differences, but ignores the address sets. */
  watch(signal: AbortSignal): AsyncGenerator<RulesCheck, void, void>
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
    // Keeps unknown Istio chains, because sidecars on the host network may use these chains.
    { backend, programs, native: native !== undefined, reconcile: false },
  )
  const ipsets = ipset(netns)
  const everyIpset = (['ipv4', 'ipv6'] as const).map((family) => ipsetOf(ipsets, family))
  const used: readonly AddressSet[] = native
    ? families.map((family) => nftSetOf(netns, family))
    : everyIpset.filter(({ family }) => family === 'ipv4' || capture.ipv6)
  const needless = everyIpset.filter((set) => !used.includes(set))
  const sets = probeSets(used)
  const exclusive = mutex()
  return {
    sets,
    apply: () =>
      exclusive(async () => {
        // Creates sets before rules and removes sets last, because the rules refer to sets.
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
      exclusive(async () => {
        await rules.remove()
        await removeIpsets(everyIpset)
      }),
    watch: (signal) => rules.watch(signal),
  }
}
