import { mutex } from '@cni/host'
import { ipset } from '@cni/ipset'
import { hostRules, hostTables, type PodCapture, probeSetNames } from '@cni/istio-rules'
import type { NetnsTarget } from '@cni/netns'
import { installedRules, type RulesLook, type RulesOptions, type RulesPlan } from '../rules/installed-rules.ts'
import { type AddressSet, ipsetNames, ipsetOf, removeIpsets } from './address-set.ts'
import { nftSetOf } from './nft-address-set.ts'
import { type ProbeSets, probeSets } from './probe-sets.ts'

/** How the node is worked on. */
export interface NodeProbesOptions extends Pick<RulesOptions, 'backend' | 'programs'> {
  /** Its network namespace. Default: the one this process was started in. */
  readonly netns?: NetnsTarget | undefined
  /**
   * Rules and sets as a table of nf_tables instead of by iptables and ipset. There is no native way to tell what a process
   * of the node sends from what it forwards, so it is told by the user that the kubelet runs as.
   */
  readonly native?: { readonly kubeletUid: number } | undefined
}

/** What the node itself has for pods in the mesh: sets of their addresses, and the rules that look them up. */
export interface NodeProbes {
  readonly sets: ProbeSets
  /**
   * Brings sets and rules into the node; what is there already stays, with its entries. What the other back end has goes,
   * and a set that the rules no longer need.
   */
  apply(): Promise<RulesPlan>
  /** What is not as {@link NodeProbes.apply} would leave it, in words; entries aside. Nothing when all is well. */
  drift(): Promise<string[]>
  /** Takes rules and sets out of the node, whatever they hold. */
  remove(): Promise<void>
  /**
   * Looks at the rules until the signal, sets aside: at once after a change on the native back end, several times a second
   * on the others. Tells each time that they are not as {@link NodeProbes.apply} would leave them.
   */
  watch(signal: AbortSignal): AsyncGenerator<RulesLook, void, void>
}

/**
 * The node's part of ambient mode.
 */
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
    // Chains of others of Istio's in the node are the sidecars' of pods on its network, or another version's.
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
        // A rule can only name a set that is there, and a set only go when no rule names it.
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
