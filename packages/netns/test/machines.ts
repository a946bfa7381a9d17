import type { Rtnl } from '@cni/netns'
import type { Netns, Where } from '@cni/netns/handle'
import { test } from 'vitest'

/** Node and pod on a fake or a real kernel. The same tests run on both kernels. */
export interface Machines extends AsyncDisposable {
  readonly node: Netns
  readonly pod: Netns
  open(where: Where): Promise<Rtnl>
}

/** Declares a test in the network namespace of a new node with a pod. */
export type TestInNode = (title: string, body: (rtnl: Rtnl, pod: Rtnl, machines: Machines) => Promise<void>) => void

/** Declares tests on a new node. The node has a bridge `b0` and a veth (`v0`, `v1`) that is up. */
export const testInNode =
  (start: () => Promise<Machines>): TestInNode =>
  (title, body) =>
    test(title, async () => {
      await using machines = await start()
      using rtnl = await machines.open(machines.node)
      using pod = await machines.open(machines.pod)
      await rtnl.addLink({ kind: 'veth', name: 'v0', up: true, peer: { name: 'v1', up: true } })
      await rtnl.addLink({ kind: 'bridge', name: 'b0' })
      await body(rtnl, pod, machines)
    })

/** Filter for the routes of the main IPv4 routing table. */
export const MAIN = { family: 'ipv4', table: 254 } as const

/** Destinations of the routes in the main IPv4 routing table, sorted. */
export const destinations = async (rtnl: Rtnl): Promise<string[]> =>
  (await rtnl.getRoutes(MAIN)).map(({ cidr }) => cidr).sort()
