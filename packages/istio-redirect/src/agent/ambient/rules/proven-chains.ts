import { iptables, type Ruleset } from '@cni/iptables'
import type { NetnsTarget } from '@cni/netns'
import { legacySnapshot } from './foreign-rules.ts'

/**
 * Of the chains of ambient mode those that are its own for certain in a namespace where a sidecar may have its rules, too;
 * none where nothing shows that a pod was enrolled. Both modes have a chain `ISTIO_OUTPUT` in the table `nat`: beside other
 * chains of a sidecar it is the sidecar's.
 */
export async function provenChains(
  netns: NetnsTarget,
  chains: readonly Ruleset['chains'][number][],
): Promise<Ruleset['chains'][number][]> {
  const key = ({ table, name }: Ruleset['chains'][number]): string => `${table} ${name}`
  const own = new Set(chains.map(key))
  const found: Ruleset['chains'][number][] = []
  for (const snapshot of [await iptables(netns, { backend: 'iptables-nft' }).snapshot(), await legacySnapshot(netns)]) {
    for (const family of [snapshot?.ipv4, snapshot?.ipv6]) {
      for (const [table, there] of family?.tables ?? []) {
        for (const name of there.keys()) if (name.startsWith('ISTIO_')) found.push({ table, name })
      }
    }
  }
  if (!found.some(({ name }) => name === WITNESS)) return []
  const shared = new Set(found.filter((each) => !own.has(key(each))).map(({ table }) => table))
  return chains.filter(({ table, name }) => !shared.has(table) || name === WITNESS)
}

// internal

/** No other mode of Istio has a chain of this name. */
const WITNESS = 'ISTIO_PRERT'
