import { ipset } from '@cni/ipset'
import { type ApplyReport, driftText, type IptablesOptions, iptables } from '@cni/iptables'
import type { NetnsTarget } from '@cni/netns'
import { istioRestoreText } from '../../redirect/text.ts'
import { hostRules, type NodeCapture } from './host-rules.ts'
import { type ProbeSets, probeSetNames, probeSets } from './probe-sets.ts'

/** How the node is worked on. */
export interface NodeProbesOptions extends Pick<IptablesOptions, 'backend' | 'programs'> {
  /** Its network namespace. Default: the one this process was started in. */
  readonly netns?: NetnsTarget | undefined
}

/** What the node itself has for pods in the mesh: sets of their addresses, and the rules that look them up. */
export interface NodeProbes {
  readonly sets: ProbeSets
  /**
   * Brings sets and rules into the node; what is there already stays, with its entries. A set that the rules no longer
   * need goes.
   */
  apply(): Promise<ApplyReport>
  /** What is not as {@link NodeProbes.apply} would leave it, in words; entries aside. Nothing when all is well. */
  drift(): Promise<string[]>
  /** Takes rules and sets out of the node, whatever they hold. */
  remove(): Promise<void>
}

/**
 * The node's part of ambient mode.
 *
 * @example
 * ```ts
 * import { defaultProbeSource, nodeProbes } from '@cni/istio-redirect/agent'
 *
 * const node = nodeProbes({ ipv6: true, probeSource: defaultProbeSource })
 * export async function start(enrolled: ReadonlyMap<string, readonly string[]>) {
 *   await node.apply()
 *   return node.sets.sync(enrolled)
 * }
 * ```
 */
export function nodeProbes(capture: NodeCapture, options: NodeProbesOptions = {}): NodeProbes {
  const { netns = 'host', backend, programs } = options
  const tables = iptables(netns, { backend, programs, print: istioRestoreText })
  const ipsets = ipset(netns)
  const sets = probeSets(ipsets, capture)
  const rules = hostRules(capture)
  const needed = capture.ipv6 ? [probeSetNames.ipv4, probeSetNames.ipv6] : [probeSetNames.ipv4]
  return {
    sets,
    async apply() {
      // A rule can only name a set that is there, and a set only go when no rule names it.
      await sets.create()
      const report = await tables.apply(rules)
      if (!capture.ipv6) await sets.destroyUnused()
      return report
    },
    async drift() {
      const there = new Set((await ipsets.list()).map(({ name }) => name))
      const missing = needed.filter((name) => !there.has(name)).map((name) => `missing set ${name}`)
      const drift = driftText(await tables.diff(rules))
      return [...missing, ...drift.split('\n').filter((line) => line !== '')]
    },
    async remove() {
      await tables.remove(rules)
      await sets.destroy()
    },
  }
}
