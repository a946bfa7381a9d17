import { spawnSync } from 'node:child_process'
import { type Netns, netns, openRtnl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { startApp } from '../src/testing/node/stand-ins.ts'

/** Who has which. */
export const addresses = {
  node: ['10.60.0.1', 'fd60::1'],
  pod: ['10.60.0.2', 'fd60::2'],
  other: ['10.60.0.3', 'fd60::3'],
} as const
/** A node, a pod with an application, and another pod with an application. */
export async function ambientCluster(ports: readonly number[] = [8080]) {
  await using stack = new AsyncDisposableStack()
  const make = async (): Promise<Netns> => {
    const made = stack.use(await tempNetns())
    // Addresses can be used at once.
    netns.run(made, () => spawnSync('sysctl', ['-qw', 'net.ipv6.conf.default.accept_dad=0']))
    return made
  }
  const [node, pod, other] = [await make(), await make(), await make()]
  using rtnl = await openRtnl(node)
  await rtnl.addLink({ name: 'br0', kind: 'bridge', up: true })
  for (const address of addresses.node) await rtnl.addAddress('br0', withBits(address))
  for (const [name, target] of [
    ['pod', pod],
    ['other', other],
  ] as const) {
    await rtnl.addLink({ kind: 'veth', name, up: true, master: 'br0', peer: { name: 'eth0', netns: target } })
    using inside = await openRtnl(target)
    await inside.setLinkUp('eth0')
    for (const address of addresses[name]) await inside.addAddress('eth0', withBits(address))
    // Probes come from an address that is on no link.
    for (const gateway of addresses.node) await inside.addRoute({ destination: 'default', gateway })
  }
  stack.use(await startApp(pod, { name: 'app', ports }))
  stack.use(await startApp(other, { name: 'other', ports: [8080] }))
  const all = stack.move()
  return { node, pod, other, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

const withBits = (address: string): string => `${address}/${address.includes(':') ? 64 : 24}`
