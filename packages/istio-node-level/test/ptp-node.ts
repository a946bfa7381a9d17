import { type Netns, netns, openRtnl, sysctl } from '@cni/netns'
import { stage } from '../../istio-redirect/test/stage/stage.ts'
import type { NodeZtunnel } from '../src/kernel-side.ts'
import { serveName } from './sockets.ts'

/** IP addresses of the test node, of its pods, and of the server `far` on another node. */
export const addresses = {
  node: '10.60.255.254',
  zt: '10.60.0.2',
  app: '10.60.0.3',
  srv: '10.60.0.4',
  other: '10.60.0.5',
  far: '10.61.0.2',
} as const

/** Finds the key of an address in {@link addresses}, such as `far`. */
export const nameOfAddress = (address = ''): string => {
  const plain = address.replace('::ffff:', '')
  return Object.entries(addresses).find(([, each]) => each === plain)?.[0] ?? plain
}

/** Name of a network namespace of the test network. */
export type Name = keyof typeof addresses

/** Test network that {@link ptpNode} creates. */
export type PtpNode = Awaited<ReturnType<typeof ptpNode>>

/** Test network: a node with ztunnel, pods, and a server on another node. */
export const ptpNode = (network: 'ptp' | 'bridge' = 'ptp') =>
  stage({ kernel: {} }, async ({ node, pod: make, stack }) => {
    const far = await make()
    const rtnl = stack.use(await openRtnl(node))
    const isBridge = network === 'bridge'
    if (isBridge) await rtnl.addLink({ kind: 'bridge', name: 'cni0', up: true })
    await rtnl.addAddress(isBridge ? 'cni0' : 'lo', `${addresses.node}/${isBridge ? 16 : 32}`)
    await sysctl(node).set('net/ipv4/ip_forward', true)
    // Turns IPv6 off, so that only packets of the test go through the tunnels.
    await sysctl(node).set('net/ipv6/conf/default/disable_ipv6', true)
    /** Creates one more pod behind a veth of the test node. */
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
    const at: Readonly<Record<Name, Netns>> = {
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
    const ztunnel: NodeZtunnel = {
      uid: 'zt-1',
      name: 'istio-system/ztunnel-1',
      ip: addresses.zt,
      netns: at.zt,
      dnsCapture: true,
    }
    return {
      at,
      rtnl,
      pod,
      ztunnel,
      /** Runs the program `ip` with the given arguments in the test node's namespace. */
      ip: async (...args: readonly string[]) => (await netns.exec(node, ['ip', ...args])).stdout,
    }
  })

/** Starts servers in every pod and on the other node. Each server answers with the name of its namespace. */
export function startServers({ at }: PtpNode, ports: readonly number[] = [8080, 15008]): AsyncDisposableStack {
  const stack = new AsyncDisposableStack()
  for (const name of ['app', 'srv', 'other', 'far'] as const) {
    for (const port of ports) stack.use(serveName(at[name], port, name))
  }
  return stack
}
