import { test } from 'vitest'
import type { Netns, NetnsTarget } from '../handle/netns.ts'
import type { NetnsContext } from '../handle/where.ts'
import { openRtnl } from './open-rtnl.ts'

declare const pod: Netns
declare const node: NetnsTarget
declare const c: NetnsContext & { readonly netns: Netns }
const bridge = { kind: 'bridge', name: 'cni0', up: true } as const
const veth = { kind: 'veth', name: 'v0', peer: { name: 'eth0', netns: pod } } as const

test("a context without `netns: 'host'` accepts a bridge, a context for the host does not", async () => {
  await (await openRtnl('host')).addLink(bridge)
  await (await openRtnl(node)).addLink(bridge)
  await (await openRtnl(c)).addLink(bridge)
  // @ts-expect-error All pods share a bridge.
  await (await openRtnl({ ...c, netns: 'host' })).addLink(bridge)
  // @ts-expect-error
  await (await openRtnl({ ...c, netns: node })).addLink(bridge)
})

test('a context accepts links that belong to one pod', async () => {
  await (await openRtnl({ ...c, netns: 'host' })).addLink(veth)
  await (await openRtnl(c)).addLink(veth)
})
