import { type NetnsTarget, openRtnl, sysctl } from '@cni/netns'
import { definePlugin } from '@cni/skel'

/** Access to the kernel and to the node's namespace. Tests pass fake functions and another namespace. */
const machine: { openRtnl: typeof openRtnl; sysctl: typeof sysctl; node: NetnsTarget } = {
  openRtnl,
  sysctl,
  node: 'host',
}

/** Connects a pod's eth0 to the node's bridge cni0, without IPAM. */
export const smallBridge = ({ openRtnl, sysctl, node: netns } = machine) =>
  definePlugin({
    name: 'small-bridge',
    async add(c) {
      const outside = `veth${c.containerID.slice(0, 8)}`
      // opens a handle without undo: all pods share the bridge, so the bridge must stay if the ADD fails
      using shared = await openRtnl(netns)
      await shared.addLink({ kind: 'bridge', name: 'cni0', up: true })
      // opens a handle with undo: the rollback removes the pod's links if a later step of the ADD fails
      using node = await openRtnl({ ...c, netns })
      const peer = { name: c.ifName, netns: c.netns, mtu: 1400, up: true }
      await node.addLink({ kind: 'veth', name: outside, up: true, master: 'cni0', bridgePort: { hairpin: true }, peer })

      using pod = await openRtnl(c)
      await pod.addAddress(c.ifName, '10.42.0.2/24')
      await pod.addRoute({ cidr: '0.0.0.0/0', gateway: '10.42.0.1', link: c.ifName })
      await sysctl(c).set(`net.ipv4.conf.${c.ifName}.arp_notify`, true)

      const { mac } = (await pod.getLink(c.ifName)) ?? {}
      const eth0 = { name: c.ifName, mac, sandbox: c.netns.path }
      return { interfaces: [eth0], ips: [{ address: '10.42.0.2/24', interface: 0 }] }
    },
    check() {},
    async del(c) {
      if (c.netns === undefined) return // no namespace in this DEL: the kernel has already deleted the pod's links
      using pod = await openRtnl(c.netns)
      await pod.deleteLink(c.ifName)
    },
  })
