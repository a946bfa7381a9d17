import { type Netns, netns, openRtnl, type Rtnl, sysctl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { startApp } from '../../istio-redirect/src/testing/node/stand-ins.ts'
import type { NodeZtunnel } from '../src/kernel-side.ts'

/** The node's address, and those of whom it leads to; `far` is on another node. */
export const addresses = {
  node: '10.60.255.254',
  zt: '10.60.0.2',
  app: '10.60.0.3',
  srv: '10.60.0.4',
  other: '10.60.0.5',
  far: '10.61.0.2',
} as const

/** Who has a namespace of its own. */
export type Name = keyof typeof addresses

/** A node with pods as ptp makes them: each has a veth, and the node a route to it. */
export interface PtpNode extends AsyncDisposable {
  readonly at: Readonly<Record<Name, Netns>>
  /** Of the node. */
  readonly rtnl: Rtnl
  readonly ztunnel: NodeZtunnel
  /** Another pod behind a veth of the node. */
  pod(name: string, address: string): Promise<Netns>
  /** `ip` on the node. */
  ip(...args: readonly string[]): Promise<string>
}

/** A node with ztunnel, pods, and a server on another node; pods have a route each, or a bridge has them all. */
export async function ptpNode(network: 'ptp' | 'bridge' = 'ptp'): Promise<PtpNode> {
  await using starting = new AsyncDisposableStack()
  let stack = starting
  const make = async (): Promise<Netns> => stack.use(await tempNetns())
  const node = await make()
  const far = await make()
  const rtnl = stack.use(await openRtnl(node))
  const isBridge = network === 'bridge'
  if (isBridge) await rtnl.addLink({ kind: 'bridge', name: 'cni0', up: true })
  await rtnl.addAddress(isBridge ? 'cni0' : 'lo', `${addresses.node}/${isBridge ? 16 : 32}`)
  await sysctl(node).set('net/ipv4/ip_forward', true)
  // Nothing but what a test sends goes through the tunnels.
  await sysctl(node).set('net/ipv6/conf/default/disable_ipv6', true)
  const pod = async (name: string, address: string): Promise<Netns> => {
    const made = await make()
    const link = `v${name}`
    await rtnl.addLink({ kind: 'veth', name: link, up: true, peer: { name: 'eth0', netns: made, up: true } })
    if (isBridge) await rtnl.setLink(link, { master: 'cni0' })
    else await rtnl.addRoute({ cidr: `${address}/32`, link })
    using inside = await openRtnl(made)
    await inside.addAddress('eth0', `${address}/${isBridge ? 16 : 32}`)
    if (!isBridge) await inside.addRoute({ cidr: `${addresses.node}/32`, link: 'eth0' })
    await inside.addRoute({ destination: 'default', gateway: addresses.node, link: 'eth0' })
    return made
  }
  const at = {
    node,
    zt: await pod('zt', addresses.zt),
    app: await pod('app', addresses.app),
    srv: await pod('srv', addresses.srv),
    other: await pod('other', addresses.other),
    far,
  }
  await rtnl.addLink({ kind: 'veth', name: 'uplink', up: true, peer: { name: 'eth0', netns: far, up: true } })
  await rtnl.addAddress('uplink', '172.30.0.1/24')
  await rtnl.addRoute({ cidr: '10.61.0.0/24', gateway: '172.30.0.2' })
  using there = await openRtnl(far)
  await there.addAddress('eth0', '172.30.0.2/24')
  await there.addAddress('lo', `${addresses.far}/32`)
  await there.addRoute({ destination: 'default', gateway: '172.30.0.1', source: addresses.far })
  // What comes later is in the stack that stays.
  stack = starting.move()
  return {
    at,
    rtnl,
    pod,
    ztunnel: { uid: 'zt-1', name: 'istio-system/ztunnel-1', ip: addresses.zt, netns: at.zt, dnsCapture: true },
    ip: async (...args) => (await netns.exec(node, ['ip', ...args])).stdout,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Servers in all pods, and on the other node. */
export async function startServers({ at }: PtpNode, ports: readonly number[] = [8080, 15008]) {
  const stack = new AsyncDisposableStack()
  const names = ['app', 'srv', 'other', 'far'] as const
  for (const started of await Promise.all(names.map((name) => startApp(at[name], { name, ports })))) stack.use(started)
  return stack
}
