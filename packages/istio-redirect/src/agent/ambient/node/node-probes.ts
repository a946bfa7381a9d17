import { mutex } from '@cni/host'
import { ipset } from '@cni/ipset'
import { hostRules, hostTables, type PodCapture, probeSetNames } from '@cni/istio-rules'
import type { NetnsTarget } from '@cni/netns'
import type { ApplyPlan } from '../../../backend.ts'
import { installedRules, type RulesLook, type RulesOptions } from '../rules/installed-rules.ts'
import { type AddressSet, ipsetNames, ipsetOf, removeIpsets } from './address-set.ts'
import { nftSetOf } from './nft-address-set.ts'
import { type ProbeSets, probeSets } from './probe-sets.ts'

/** Options of {@link nodeProbes}. */
export interface NodeProbesOptions extends Pick<RulesOptions, 'backend' | 'programs'> {
  /** Network namespace of the node. Default: the one of this process's start. */
  readonly netns?: NetnsTarget | undefined
  /**
   * Uses a nftables table instead of iptables and ipset.
   *
   * nftables cannot distinguish packets that a process of the node sends from forwarded packets. Native rules therefore
   * match
   * the user of the kubelet.
   */
  readonly native?: { readonly kubeletUid: number } | undefined
}

/** Node's part of ambient mode: sets of pod addresses, and the rules that match them. */
export interface NodeProbes {
  readonly sets: ProbeSets
  /**
   * Installs sets and rules. Existing ones stay, with their entries. Removes objects of the other back end, and sets
   * that
   * the rules do not need.
   */
  apply(): Promise<ApplyPlan>
  /** Differences from the state that {@link NodeProbes.apply} installs, as texts. Ignores the entries of the sets. */
  drift(): Promise<string[]>
  /** Removes rules and sets from the node, including their entries. */
  remove(): Promise<void>
  /**
   * Watches the rules until the signal aborts, without the sets. Yields each time the rules differ from the installed
   * state.
   *
   * The nftables back end reports changes at once. The others are checked several times a second.
   */
  watch(signal: AbortSignal): AsyncGenerator<RulesLook, void, void>
}

/** Creates the node's part of ambient mode. */
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
    // Other Istio chains on the node belong to sidecars of pods on the host network, or to another version.
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
        // Creates the sets before the rules: a rule can only refer to an existing set, and a set in use cannot be
        // removed.
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
