import type { AmbientPod } from '@cni/istio-rules'
import { type Netns, openRtnl } from '@cni/netns'
import { parseAddress } from '@cni/types/ip'
import { POD_SET, tables, tunnels } from '../names.ts'
import { podEntries } from './pod-set.ts'

/**
 * Describes differences between a pod's ipset entries and routes on the node and the wanted ones. Only for redirection
 * by iptables on the node. A pod outside the mesh must have neither entries nor routes.
 */
export async function nodeLevelDrift(
  node: Netns,
  { uid, addresses }: Pick<AmbientPod, 'uid' | 'addresses'>,
  enrolled: boolean,
): Promise<string[]> {
  const entries = (await podEntries(node)) ?? []
  const wanted = enrolled ? addresses.filter((address) => parseAddress(address)?.length === 4) : []
  using rtnl = await openRtnl(node)
  const led = new Set((await rtnl.getRoutes({ family: 'ipv4', table: tables.inbound })).map(({ cidr }) => cidr))
  const missing = wanted.flatMap((address) => {
    const entry = entries.find((each) => each.address === address)
    const route = led.has(`${address}/32`)
      ? []
      : [`missing ${address}/32 in table ${tables.inbound}, by ${tunnels.inbound.node[0]}`]
    if (entry === undefined) return [`missing ${address} in set ${POD_SET}`, ...route]
    return entry.uid === uid
      ? route
      : [`${address} in set ${POD_SET} belongs to pod ${entry.uid ?? '(unknown)'}`, ...route]
  })
  const stale = entries.filter((entry) => entry.uid === uid && !wanted.includes(entry.address))
  return [...missing, ...stale.map(({ address }) => `unexpected ${address} in set ${POD_SET}`)]
}
