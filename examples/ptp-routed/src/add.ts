import { ipam } from '@cni/invoke'
import type { AddContext } from '@cni/skel'
import { assignInterface, CniError, ErrorCode, mergeResults, type Result } from '@cni/types'
import { type Conf, type Kept, settingsOf } from './conf.ts'
import type { Place } from './place.ts'
import { hostLinkOf, planOf } from './plan.ts'

/** Creates the veth pair of a pod, with addresses, routes and sysctls. Rolls back all changes after a failure. */
export async function attach(c: AddContext<Conf, false, Kept>, place: Place): Promise<Result> {
  const { node, delegates, openRtnl, sysctl } = place
  using inPod = await openRtnl(c)
  using onNode = await openRtnl({ ...c, netns: node })
  // Fails before the IPAM call: a later rollback would release the address of the existing interface.
  if (await inPod.getLink(c.ifName))
    throw new CniError(ErrorCode.internal, `the pod has an interface ${c.ifName} already`)
  const leased = await ipam(c, delegates).add()
  const hostLink = hostLinkOf(c)
  const { ips, pod, node: ofNode, hasIpv6 } = planOf(leased, c.ifName, hostLink)

  // Records the name of the veth first, because DEL must find the veth of a killed ADD.
  c.state.write({ hostLink })
  // Removes the veth that a killed ADD may have left. No pod uses this veth.
  await onNode.deleteLink(hostLink)
  const { mtu } = c.conf
  const peer = { name: c.ifName, netns: c.netns, mtu, up: true }
  await onNode.addLink({ kind: 'veth', name: hostLink, mtu, up: true, peer })
  if (hasIpv6) {
    await sysctl(c).set(`net/ipv6/conf/${c.ifName}/disable_ipv6`, false)
    await sysctl({ ...c, netns: node }).set(`net/ipv6/conf/${hostLink}/disable_ipv6`, false)
    await sysctl(node).set('net.ipv6.conf.all.forwarding', true)
  }
  // Enables forwarding without undo, because other pods on the node need forwarding.
  await sysctl(node).set('net.ipv4.ip_forward', true)
  for (const address of ofNode.addresses) await onNode.addAddress(address)
  for (const route of ofNode.routes) await onNode.addRoute(route)
  for (const address of pod.addresses) await inPod.addAddress(address)
  for (const route of pod.routes) await inPod.addRoute(route)
  for (const [name, value] of settingsOf(c)) await sysctl(c).set(name, value)

  const { mac: nodeMac = '' } = (await onNode.getLink(hostLink)) ?? {}
  const { mac = '' } = (await inPod.getLink(c.ifName)) ?? {}
  const interfaces = [
    { name: hostLink, mac: nodeMac },
    { name: c.ifName, mac, sandbox: c.netns.path },
  ]
  return assignInterface(mergeResults(c.prevResult ?? {}, { interfaces }, { ...leased, ips }), c.ifName)
}
