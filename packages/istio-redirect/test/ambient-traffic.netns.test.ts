import { spawnSync } from 'node:child_process'
import {
  enrolNamespace,
  type NodeProbesOptions,
  nodeProbes,
  type RulesOptions,
  releaseNamespace,
} from '@cni/istio-redirect/agent'
import { connectFrom, startApp, startProxy } from '@cni/istio-redirect/testing/node'
import { type Netns, type NetnsTarget, netns, openRtnl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { describe, expect, test } from 'vitest'
import { everything } from './goldens/ambient/cases.ts'

const addresses = {
  node: ['10.60.0.1', 'fd60::1'],
  pod: ['10.60.0.2', 'fd60::2'],
  other: ['10.60.0.3', 'fd60::3'],
} as const
const user = 1000

/** A node, a pod with an application and a stand-in for ztunnel, and another pod with an application. */
async function cluster() {
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
  stack.use(await startApp(pod, { name: 'app', ports: [8080, 15008] }))
  stack.use(await startApp(other, { name: 'other', ports: [8080] }))
  stack.use(await startProxy(pod))
  const all = stack.move()
  return { node, pod, other, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

const withBits = (address: string): string => `${address}/${address.includes(':') ? 64 : 24}`
const written = (host: string, port: number): string => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`)

/** Who answers, of each family: an application by its name, the stand-in by its port and where it was to go. */
async function reached(from: NetnsTarget, hosts: readonly string[], port = 8080, as = user): Promise<string[]> {
  const connections = await connectFrom(
    from,
    as,
    hosts.map((host) => ({ host, port })),
  )
  return connections.map(({ answer, error }) =>
    answer?.served_by === 'proxy'
      ? `${answer.listener} for ${answer.original_dst}`
      : (answer?.served_by ?? error ?? 'nobody'),
  )
}

const ways: readonly (readonly [string, RulesOptions, NodeProbesOptions])[] = [
  ['iptables', {}, {}],
  ['native', { native: true }, { native: { kubeletUid: 0 } }],
]

describe.each(ways)('with rules by %s', (_, how, onNode) => {
  test('what goes in and out of a pod in the mesh passes through ztunnel, but for itself and probes', async () => {
    await using running = await cluster()
    const { node, pod, other } = running
    const probes = nodeProbes(everything, { netns: node, ...onNode })
    await probes.apply()
    await enrolNamespace(pod, everything, how)
    const captured = (port: number, hosts: readonly string[]) =>
      hosts.map((host) => `${port} for ${written(host, 8080)}`)

    expect(await reached(other, addresses.pod)).toEqual(captured(15006, addresses.pod))
    expect(await reached(other, addresses.pod, 15008)).toEqual(['app', 'app'])
    expect(await reached(pod, addresses.other)).toEqual(captured(15001, addresses.other))
    expect(await reached(pod, [...addresses.pod, '127.0.0.1', '::1'])).toEqual(['app', 'app', 'app', 'app'])

    // Only a set tells a probe from any other connection.
    expect(await reached(node, addresses.pod, 8080, 0)).toEqual(captured(15006, addresses.pod))
    await probes.sets.put('uid', addresses.pod)
    expect(await reached(node, addresses.pod, 8080, 0)).toEqual(['app', 'app'])
    await probes.sets.drop('uid')
    expect(await reached(node, addresses.pod, 8080, 0)).toEqual(captured(15006, addresses.pod))

    await enrolNamespace(pod, { ...everything, bypassInbound: true }, how)
    expect(await reached(other, addresses.pod)).toEqual(['app', 'app'])
    expect(await reached(pod, addresses.other)).toEqual(captured(15001, addresses.other))

    await releaseNamespace(pod, everything, how)
    expect(await reached(pod, addresses.other)).toEqual(['other', 'other'])
  })
})
