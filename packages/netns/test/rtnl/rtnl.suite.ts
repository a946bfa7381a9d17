import type { Rtnl } from '@cni/netns'
import { describe, expect } from 'vitest'
import { failingCall } from '../call-undo.ts'
import { type Machines, testInNode } from '../machines.ts'
import { linkBehaviour } from './rtnl-links.suite.ts'
import { routeBehaviour } from './rtnl-routes.suite.ts'

/** Tests of `openRtnl()` that run over a fake and over a real kernel. */
export function rtnlBehaviour(name: string, start: () => Promise<Machines>): void {
  const inNode = testInNode(start)
  linkBehaviour(name, inNode)
  routeBehaviour(name, inNode)

  describe(`calls (${name})`, () => {
    inNode('a failing ADD leaves both namespaces unchanged', async (rtnl, pod, { open, node, pod: netns }) => {
      await rtnl.addAddress('v0', '10.9.0.1/24')
      await rtnl.addRoute({ cidr: '10.1.0.0/16', gateway: '10.9.0.254' })
      const state = async (of: Rtnl) => [
        new Set((await of.getLinks()).map(({ name, mtu, up, master }) => [name, mtu, up, master])),
        (await of.getAddresses({ family: 'ipv4' })).map(({ cidr }) => cidr),
        new Set(await of.getRoutes({ family: 'ipv4' })),
        await of.getRules(),
      ]
      const before = [await state(rtnl), await state(pod)]
      const c = failingCall(netns)
      {
        using outside = await open({ ...c, netns: node })
        await outside.addLink({
          kind: 'veth',
          name: 'x0',
          up: true,
          master: 'b0',
          peer: { name: 'eth0', netns, up: true },
        })
        await outside.setLink('v0', { mtu: 1400, master: 'b0' })
        await outside.setLink('v1', { netns, name: 'eth1', up: true })
        await outside.deleteRoute({ cidr: '10.1.0.0/16' })
        using inside = await open(c)
        await inside.addAddress('eth0', '10.42.0.2/24')
        await inside.addRoute({ cidr: '0.0.0.0/0', gateway: '10.42.0.1' })
        await inside.addRule({ family: 'ipv4', from: '10.42.0.2', table: 100 })
        await inside.setLinkDown('lo')
      }
      expect([await state(rtnl), await state(pod)]).not.toEqual(before)
      await c.unwind()
      expect([await state(rtnl), await state(pod)]).toEqual(before)
    })

    inNode('a failing ADD leaves links that other links use by now', async (_, __, { open, pod: netns }) => {
      using other = await open(netns)
      const c = failingCall(netns)
      using own = await open(c)
      await own.addLink({ kind: 'bridge', name: 'br1' })
      await own.setLinkUp('br1')
      await own.addLink({ kind: 'bridge', name: 'br2', up: true })
      await other.addLink({ kind: 'ifb', name: 'port', master: 'br1' })
      await c.unwind()
      expect(await other.getLink('br1')).toMatchObject({ up: true })
      expect(await other.getLink('br2')).toBeUndefined()
    })

    inNode('a closed rtnl throws CLOSED', async (rtnl) => {
      rtnl.close()
      rtnl.close()
      await expect(rtnl.getLinks()).rejects.toMatchObject({ code: 'CLOSED' })
    })
  })
}
