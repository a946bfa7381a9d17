import { iptables, type Ruleset } from '@cni/iptables'
import type { NetnsTarget } from '@cni/netns'
import { legacySnapshot } from './legacy-rules.ts'

/** Chains that certainly belong to ambient mode. `ISTIO_OUTPUT` in `nat` may be a sidecar's chain instead. */
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
  if (!found.some(({ name }) => name === AMBIENT_CHAIN)) return []
  const shared = new Set(found.filter((each) => !own.has(key(each))).map(({ table }) => table))
  return chains.filter(({ table, name }) => !shared.has(table) || name === AMBIENT_CHAIN)
}

// internal

/** Name of the iptables chain that only ambient mode uses. The chain proves an enrolment. */
const AMBIENT_CHAIN = 'ISTIO_PRERT'
