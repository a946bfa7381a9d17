import { type NetnsTarget, openRtnl } from '@cni/netns'
import type { Netns } from '@cni/netns/handle'

/** Creates a pod's eth0 with an address and a default route. A second call changes nothing. */
export async function connect(pod: Netns, node: NetnsTarget) {
  using outside = await openRtnl(node)
  await outside.addLink({ kind: 'veth', name: 'veth-demo', peer: { name: 'eth0', netns: pod } })
  await outside.setLinkUp('veth-demo')

  using inside = await openRtnl(pod)
  await inside.setLinkUp('eth0')
  await inside.addAddress('eth0', '10.42.0.2/24')
  const { added } = await inside.addRoute({ destination: 'default', gateway: '10.42.0.1', link: 'eth0' })
  return added // false if the default route existed already, as in a second call
}
