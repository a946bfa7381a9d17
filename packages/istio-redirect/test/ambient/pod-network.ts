import { type Netns, openRtnl, sysctl } from '@cni/netns'

/** Where the node is for its pods. */
export const gateways = ['10.20.0.254', 'fd00:20::fe'] as const

/** With the length of the prefix that all pods share. */
export const withBits = (address: string): string => `${address}/${address.includes(':') ? 64 : 24}`

/** Gives a node a bridge. Returns what connects a pod to it. */
export async function podNetwork(node: Netns): Promise<(pod: Netns, addresses: readonly string[]) => Promise<void>> {
  let pods = 0
  using rtnl = await openRtnl(node)
  await atOnce(node)
  await rtnl.addLink({ name: 'br0', kind: 'bridge', up: true })
  for (const address of gateways) await rtnl.addAddress('br0', withBits(address))
  return async (pod, addresses) => {
    pods += 1
    await atOnce(pod)
    using onNode = await openRtnl(node)
    const peer = { name: 'eth0', netns: pod }
    await onNode.addLink({ kind: 'veth', name: `pod${pods}`, up: true, master: 'br0', peer })
    using inside = await openRtnl(pod)
    await inside.setLinkUp('eth0')
    for (const address of addresses) await inside.addAddress('eth0', withBits(address))
    // Probes come from an address that is on no link.
    for (const gateway of gateways) await inside.addRoute({ destination: 'default', gateway })
  }
}

/** Addresses can be used as soon as they are there. */
const atOnce = (netns: Netns) => sysctl(netns).set('net.ipv6.conf.default.accept_dad', 0)
