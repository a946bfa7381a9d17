import { writeFileSync } from 'node:fs'
import { type Netns, netns, openRtnl, type Rtnl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import type { Result } from '@cni/types'

/** Network namespace that simulates a pod. For a chained plugin, the pod has an interface. */
export interface Pod extends AsyncDisposable {
  readonly netns: Netns
  readonly id: string
  readonly ifName: string
  readonly prevResult: Result | undefined
}

let count = 0

/** Creates a test pod on the test node. */
export async function createPod(node: Netns, chained: boolean): Promise<Pod> {
  const number = ++count
  const pod = await tempNetns({ lo: chained })
  try {
    return {
      netns: pod,
      id: `conformance-${process.pid}-${number}`,
      ifName: 'eth0',
      prevResult: chained ? await attach(node, pod, number) : undefined,
      async [Symbol.asyncDispose]() {
        // Deletes the pod's veth explicitly. Otherwise the kernel deletes the veth later, during the next check.
        using rtnl = await openRtnl(node)
        await rtnl.deleteLink(peerOf(number))
        await pod[Symbol.asyncDispose]()
      },
    }
  } catch (error) {
    await pod[Symbol.asyncDispose]()
    throw error
  }
}

/** Waits for the route to the pod's IPv6 address, because the kernel adds the route asynchronously. */
async function complete(rtnl: Rtnl, cidr: string): Promise<void> {
  const destination = `${cidr.split('/')[0]}/128`
  const deadline = performance.now() + 5000
  while (!(await rtnl.getRoutes()).some((route) => route.type === 'local' && route.destination === destination)) {
    if (performance.now() > deadline) throw new Error(`The kernel has no route to ${cidr} after 5 s`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

function peerOf(number: number): string {
  return `conf${number}`
}

/** Connects the pod to the node as a bridge plugin would, and returns the `prevResult`. */
async function attach(node: Netns, pod: Netns, number: number): Promise<Result> {
  const low = number % 65_000
  const ipv4 = `10.213.${Math.floor(low / 250)}.${(low % 250) + 2}/16`
  const ipv6 = `fd00:213::${(low + 2).toString(16)}/64`
  const peer = peerOf(number)
  // Turns off IPv6 duplicate address detection in the pod, so that the pod's IPv6 address is usable at once.
  netns.run(pod, () => writeFileSync('/proc/sys/net/ipv6/conf/default/accept_dad', '0'))
  using onNode = await openRtnl(node)
  await onNode.addLink({ kind: 'veth', name: peer, peer: { name: 'eth0', netns: pod } })
  await onNode.setLinkUp(peer)
  using inPod = await openRtnl(pod)
  await inPod.setLinkUp('eth0')
  await inPod.addAddress('eth0', ipv4)
  await inPod.addAddress('eth0', ipv6)
  await inPod.addRoute({ destination: 'default', gateway: '10.213.0.1', link: 'eth0' })
  await complete(inPod, ipv6)
  const mac = (await inPod.getLink('eth0'))?.mac
  const hostMac = (await onNode.getLink(peer))?.mac
  return {
    cniVersion: '1.1.0',
    interfaces: [
      { name: peer, mac: hostMac },
      { name: 'eth0', mac, sandbox: pod.path },
    ],
    ips: [
      { address: ipv4, gateway: '10.213.0.1', interface: 1 },
      { address: ipv6, interface: 1 },
    ],
    routes: [{ dst: '0.0.0.0/0', gw: '10.213.0.1' }],
    dns: { nameservers: ['10.213.0.1'], search: ['conformance.example'] },
  }
}
