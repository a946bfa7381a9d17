import { type Netns, openRtnl, sysctl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'

/** Appends the prefix length of the test network: 24 for IPv4, 64 for IPv6. */
const withBits = (address: string): string => `${address}/${address.includes(':') ? 64 : 24}`

/** Adds the addresses, with their prefix lengths, to the test node's `lo`. */
export async function prepareKernel(node: Netns, lo: readonly string[] = []): Promise<void> {
  using rtnl = await openRtnl(node)
  for (const address of lo) await rtnl.addAddress('lo', address)
}

/** Creates a link in the network namespace and adds the addresses to the link. */
export async function addAddresses(target: Netns, addresses: readonly string[], name = 'eth0'): Promise<void> {
  using rtnl = await openRtnl(target)
  await rtnl.addLink({ name, kind: 'bridge', up: true })
  for (const each of addresses) await rtnl.addAddress(name, withBits(each))
}

/** Creates a network namespace with addresses on eth0. Without carrier, the kernel adds no link-local address. */
export async function podWith(...addresses: readonly string[]): Promise<Netns & AsyncDisposable> {
  await using starting = new AsyncDisposableStack()
  const made = starting.use(await tempNetns())
  await skipAddressDetection(made)
  using rtnl = await openRtnl(made)
  await rtnl.addLink({ kind: 'veth', name: 'eth0', up: true, peer: { name: 'peer' } })
  for (const each of addresses) await rtnl.addAddress('eth0', withBits(each))
  starting.move()
  return made
}

/** Creates a bridge in the test node's namespace. Returns the function that connects a pod to the bridge. */
export async function podBridge(node: Netns, gateways: readonly string[]) {
  let pods = 0
  using rtnl = await openRtnl(node)
  await skipAddressDetection(node)
  await rtnl.addLink({ name: 'br0', kind: 'bridge', up: true })
  for (const address of gateways) await rtnl.addAddress('br0', withBits(address))
  return async (pod: Netns, addresses: readonly string[]): Promise<void> => {
    pods += 1
    await skipAddressDetection(pod)
    using onNode = await openRtnl(node)
    const peer = { name: 'eth0', netns: pod, up: true }
    await onNode.addLink({ kind: 'veth', name: `pod${pods}`, up: true, master: 'br0', peer })
    using inside = await openRtnl(pod)
    for (const address of addresses) await inside.addAddress('eth0', withBits(address))
    // Adds a default route, because the source address of kubelet's probes belongs to no link.
    for (const gateway of gateways) await inside.addRoute({ destination: 'default', gateway })
  }
}

/** Turns duplicate address detection off, because new IPv6 addresses have to be usable at once. */
const skipAddressDetection = (netns: Netns) => sysctl(netns).set('net.ipv6.conf.default.accept_dad', 0)
