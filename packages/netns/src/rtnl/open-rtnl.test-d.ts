import { test } from 'vitest'
import type { Netns, NetnsTarget } from '../handle/netns.ts'
import type { NetnsContext } from '../handle/where.ts'
import { openRtnl } from './open-rtnl.ts'

declare const pod: Netns
declare const node: NetnsTarget
declare const c: NetnsContext & { readonly netns: Netns }
const bridge = { kind: 'bridge', name: 'cni0', up: true } as const
const veth = { kind: 'veth', name: 'v0', peer: { name: 'eth0', netns: pod } } as const

test('a bridge is made without the undo of a call on the node, with it in a pod', async () => {
  await (await openRtnl('host')).addLink(bridge)
  await (await openRtnl(node)).addLink(bridge)
  await (await openRtnl(c)).addLink(bridge)
  // @ts-expect-error all pods share it
  await (await openRtnl({ ...c, netns: 'host' })).addLink(bridge)
  // @ts-expect-error
  await (await openRtnl({ ...c, netns: node })).addLink(bridge)
})

test("what is one pod's is made with the undo of its call", async () => {
  await (await openRtnl({ ...c, netns: 'host' })).addLink(veth)
  await (await openRtnl(c)).addLink(veth)
})
