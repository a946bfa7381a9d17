import { type Netns, openRtnl, sysctl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'

/** Settings of the node's namespace. */
export interface KernelOptions {
  readonly sysctls?: Readonly<Record<string, boolean | number>>
  /** Addresses of its `lo`, with their prefix lengths. */
  readonly lo?: readonly string[]
}

/**
 * `none`: a pod has `lo`. `addresses`: a pod has addresses, and that is all. `bridge`: pods reach each other and the node by a bridge; the
 * gateways are the node's addresses.
 */
export type PodNetwork = 'none' | 'addresses' | { readonly bridge: readonly string[] }

/** Gives a pod its addresses. */
export type Connect = (pod: Netns, addresses: readonly string[]) => Promise<void>

/** The address with the prefix length that all pods share. */
export const withBits = (address: string): string => `${address}/${address.includes(':') ? 64 : 24}`

/** Applies the settings of a node. */
export async function prepareKernel(node: Netns, { sysctls = {}, lo = [] }: KernelOptions = {}): Promise<void> {
  for (const [name, value] of Object.entries(sysctls)) await sysctl(node).set(name, value)
  using rtnl = await openRtnl(node)
  for (const address of lo) await rtnl.addAddress('lo', address)
}

/** Prepares a network. Returns the function that connects a pod to it. */
export async function connectPods(network: PodNetwork, node: Netns | undefined): Promise<Connect> {
  if (network === 'none') return async () => {}
  if (network === 'addresses') return addAddresses
  if (node === undefined) throw new Error('a bridge needs a node')
  return await podBridge(node, network.bridge)
}

/** Gives a namespace these addresses, on a link of its own. */
export async function addAddresses(target: Netns, addresses: readonly string[], name = 'eth0'): Promise<void> {
  using rtnl = await openRtnl(target)
  await rtnl.addLink({ name, kind: 'bridge', up: true })
  for (const each of addresses) await rtnl.addAddress(name, withBits(each))
}

/** A namespace with these addresses on its eth0, which has no carrier: it gets no link-local address later. */
export async function podWith(...addresses: readonly string[]): Promise<Netns & AsyncDisposable> {
  const made = await tempNetns()
  try {
    await skipAddressDetection(made)
    using rtnl = await openRtnl(made)
    await rtnl.addLink({ kind: 'veth', name: 'eth0', up: true, peer: { name: 'peer' } })
    for (const each of addresses) await rtnl.addAddress('eth0', withBits(each))
    return made
  } catch (error) {
    await made[Symbol.asyncDispose]()
    throw error
  }
}

/** Gives a node a bridge. Returns the function that connects a pod to it. */
export async function podBridge(node: Netns, gateways: readonly string[]): Promise<Connect> {
  let pods = 0
  using rtnl = await openRtnl(node)
  await skipAddressDetection(node)
  await rtnl.addLink({ name: 'br0', kind: 'bridge', up: true })
  for (const address of gateways) await rtnl.addAddress('br0', withBits(address))
  return async (pod, addresses) => {
    pods += 1
    await skipAddressDetection(pod)
    using onNode = await openRtnl(node)
    const peer = { name: 'eth0', netns: pod, up: true }
    await onNode.addLink({ kind: 'veth', name: `pod${pods}`, up: true, master: 'br0', peer })
    using inside = await openRtnl(pod)
    for (const address of addresses) await inside.addAddress('eth0', withBits(address))
    // Probes come from an address that is on no link.
    for (const gateway of gateways) await inside.addRoute({ destination: 'default', gateway })
  }
}

/** Makes addresses usable at once. */
const skipAddressDetection = (netns: Netns) => sysctl(netns).set('net.ipv6.conf.default.accept_dad', 0)
