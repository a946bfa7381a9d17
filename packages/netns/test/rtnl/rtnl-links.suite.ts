import type { NewLink, Rtnl } from '@cni/netns'
import { describe, expect } from 'vitest'
import type { LinkChange } from '../../src/rtnl/port/arguments.ts'
import { destinations, type TestInNode } from '../machines.ts'
import { settledLinks } from '../settled.ts'

const names = async (rtnl: Rtnl): Promise<string[]> => (await rtnl.getLinks()).map(({ name }) => name).sort()

/** Tests of `openRtnl()` for links, over a fake and over a real kernel. */
export function linkBehaviour(name: string, inNode: TestInNode): void {
  describe(`links (${name})`, () => {
    inNode(
      'are added once; a different link with the same name is EEXIST, and the message names a difference',
      async (rtnl) => {
        expect(await rtnl.addLink({ kind: 'ifb', name: 'i0', mtu: 1400 })).toEqual({ added: true })
        expect(await rtnl.addLink({ kind: 'ifb', name: 'i0', mtu: 1400 })).toEqual({ added: false })
        expect(await rtnl.addLink({ kind: 'ifb', name: 'i0' })).toEqual({ added: false })
        const otherwise: Array<[NewLink, string]> = [
          [{ kind: 'ifb', name: 'i0', mtu: 1300 }, 'mtu is 1400, not 1300'],
          [{ kind: 'bridge', name: 'i0' }, 'kind is "ifb", not "bridge"'],
          [{ kind: 'bridge', name: 'b0', bridge: { ageingSeconds: 7 } }, 'bridge.ageingSeconds is 300, not 7'],
        ]
        for (const [link, reason] of otherwise) {
          await expect(rtnl.addLink(link)).rejects.toMatchObject({
            code: 'EEXIST',
            message: expect.stringContaining(reason),
          })
        }
        expect(await rtnl.deleteLink('i0')).toEqual({ deleted: true })
        expect(await rtnl.deleteLink('i0')).toEqual({ deleted: false })
        await expect(rtnl.deleteLink('lo')).rejects.toMatchObject({ code: 'EOPNOTSUPP' })
      },
    )

    inNode('can get another remote address if they are tunnels', async (rtnl) => {
      const vxlan = { id: 7, port: 6081, remote: '10.9.0.2' }
      await rtnl.addLink({ kind: 'vxlan', name: 't0', up: true, vxlan })
      await rtnl.addAddress('t0', '10.8.0.1/30')
      const way = { cidr: '10.7.0.0/16', gateway: '10.8.0.2', link: 't0' }
      await rtnl.addRoute(way)
      const change = { vxlan: { remote: '10.9.0.3' } }
      expect(await rtnl.setLink('t0', change)).toMatchObject({ changed: true })
      expect(await rtnl.setLink('t0', change)).toMatchObject({ changed: false })
      expect(await rtnl.getLink('t0')).toMatchObject({ up: true, vxlan: { ...vxlan, ...change.vxlan } })
      expect(await rtnl.addRoute(way)).toEqual({ added: false })
      await expect(rtnl.setLink('t0', { geneve: change.vxlan })).rejects.toMatchObject({ code: 'EOPNOTSUPP' })
      await expect(rtnl.setLink('t0', { vxlan: { remote: 'far' } })).rejects.toMatchObject({ code: 'INVALID' })
    })

    inNode('are not half created if the kernel refuses them', async (rtnl, pod, { pod: netns }) => {
      const before = [await names(rtnl), await names(pod)]
      const refused: Array<[NewLink, string]> = [
        [{ kind: 'veth', name: 'x0', peer: { name: 'v0' } }, 'EEXIST'],
        [{ kind: 'veth', name: 'x0', peer: { name: 'lo', netns } }, 'EEXIST'],
        [{ kind: 'veth', name: 'x0', master: 'b7', peer: { name: 'x1' } }, 'ENODEV'],
        [{ kind: 'veth', name: 'x0', master: 'v0', peer: { name: 'x1' } }, 'EOPNOTSUPP'],
        [{ kind: 'veth', name: 'x0', mtu: 70_000, peer: { name: 'x1' } }, 'EINVAL'],
        [{ kind: 'veth', name: 'x0', mtu: 10, peer: { name: 'x1' } }, 'EINVAL'],
        [{ kind: 'veth', name: 'x0', mac: '01:00:00:00:00:01', peer: { name: 'x1' } }, 'EADDRNOTAVAIL'],
        [{ kind: 'macvlan', name: 'x0', parent: 'eth7' }, 'ENODEV'],
        [{ kind: 'macvlan', name: 'x0', parent: 'lo' }, 'EINVAL'],
        [{ kind: 'bridge', name: 'a/b' }, 'INVALID'],
        [{ kind: 'bridge', name: 'sixteen-bytes-xx' }, 'INVALID'],
        [{ kind: 'bridge', name: 'x0', mac: 'nothing' }, 'INVALID'],
        [{ kind: 'bridge', name: 'x0', mtu: 1.5 }, 'INVALID'],
        [{ kind: 'vxlan', name: 'x0', vxlan: { id: 0x1000000 } }, 'INVALID'],
      ]
      for (const [link, code] of refused) await expect(rtnl.addLink(link), code).rejects.toMatchObject({ code })
      expect([await names(rtnl), await names(pod)]).toEqual(before)
    })

    inNode('can connect a pod as a veth, and both ends are deleted together', async (rtnl, pod, { pod: netns }) => {
      const peer = { name: 'eth0', netns, mtu: 1400, mac: '02:00:00:00:00:02', up: true }
      await rtnl.addLink({ kind: 'veth', name: 'x0', up: true, peer })
      const inside = await pod.getLink('eth0')
      expect(inside).toMatchObject({ kind: 'veth', mtu: 1400, mac: '02:00:00:00:00:02', up: true })
      const carrier = async () => (await pod.getLink('eth0'))?.running
      await expect.poll(carrier, { timeout: 20_000 }).toBe(true)
      expect(inside?.parent).toBe((await rtnl.getLink('x0'))?.index)
      await rtnl.setLinkDown('x0')
      await expect.poll(carrier, { timeout: 20_000 }).toBe(false)
      expect(await pod.getLink('eth0')).toMatchObject({ up: true })
      await pod.deleteLink('eth0')
      expect(await rtnl.getLink('x0')).toBeUndefined()
    })

    inNode(
      'can be created in a pod, also with a name in use on the node, and are deleted with their parent',
      async (rtnl, pod, { pod: netns }) => {
        const link = {
          kind: 'macvlan',
          name: 'v1',
          parent: 'v0',
          macvlan: { mode: 'bridge' },
          up: true,
          netns,
        } as const
        expect(await rtnl.addLink(link)).toEqual({ added: true })
        expect(await rtnl.addLink(link)).toEqual({ added: false })
        expect(await pod.getLink('v1')).toMatchObject({ kind: 'macvlan', up: true, macvlan: { mode: 'bridge' } })
        await rtnl.deleteLink('v0')
        expect(await names(pod)).toEqual(['lo'])
      },
    )

    inNode('can be changed, and setLink returns the previous link', async (rtnl) => {
      const change: LinkChange = {
        ...{ name: 'eth0', mtu: 1400, mac: '02:00:00:AB:00:01', txqlen: 7, alias: 'x', promisc: true },
        ...{ master: 'b0', bridgePort: { hairpin: true } },
      }
      await rtnl.setLinkDown('v0')
      expect(await rtnl.setLink('v0', change)).toMatchObject({ changed: true, before: { name: 'v0', mtu: 1500 } })
      expect(await rtnl.setLink('eth0', change)).toMatchObject({ changed: false })
      expect(await rtnl.getLink('eth0')).toMatchObject({
        ...{ name: 'eth0', mtu: 1400, mac: '02:00:00:ab:00:01', txqlen: 7, alias: 'x', promisc: true, up: false },
        ...{ master: (await rtnl.getLink('b0'))?.index, bridgePort: { hairpin: true, learning: true } },
      })
      await rtnl.setLink('eth0', { master: null, alias: '' })
      expect(await rtnl.getLink('eth0')).not.toHaveProperty('master')
      expect(await rtnl.getLink('eth0')).not.toHaveProperty('bridgePort')
      await rtnl.setLink('v1', { master: 'b0' })
      await rtnl.deleteLink('b0')
      expect(await rtnl.getLink('v1')).not.toHaveProperty('master')
    })

    inNode('stay unchanged if a change is refused', async (rtnl, _, { pod: netns }) => {
      const before = settledLinks(await rtnl.getLinks())
      const refused: Array<[LinkChange, string]> = [
        [{ txqlen: 7, mtu: 70_000 }, 'EINVAL'],
        [{ txqlen: 7, mac: '01:00:00:00:00:01' }, 'EADDRNOTAVAIL'],
        [{ txqlen: 7, up: false, name: 'b0' }, 'EEXIST'],
        [{ txqlen: 7, up: false, netns, name: 'lo' }, 'EEXIST'],
        [{ txqlen: 7, master: 'b7' }, 'ENODEV'],
        [{ txqlen: 7, master: 'lo' }, 'EOPNOTSUPP'],
        [{ txqlen: 7, bridge: { stp: true } }, 'EOPNOTSUPP'],
        [{ txqlen: 7, bridgePort: { hairpin: true } }, 'EOPNOTSUPP'],
        [{ txqlen: 7, master: 'b0', bridgePort: { priority: 99 } }, 'INVALID'],
        [{ txqlen: 7, netns, master: 'b0' }, 'INVALID'],
        [{ txqlen: 7, mac: 'x' }, 'INVALID'],
      ]
      for (const [change, code] of refused)
        await expect(rtnl.setLink('v0', change), code).rejects.toMatchObject({ code })
      await expect(rtnl.setLink('eth7', { mtu: 1400 })).rejects.toMatchObject({ code: 'ENODEV' })
      await expect(rtnl.setLinkUp('eth7')).rejects.toMatchObject({ code: 'ENODEV' })
      expect(settledLinks(await rtnl.getLinks())).toEqual(before)
    })

    inNode('can move to a pod, and arrive down without addresses and routes', async (rtnl, pod, { pod: netns }) => {
      await rtnl.addAddress('v0', '10.9.0.1/24')
      await rtnl.setLink('v0', { netns, name: 'eth0' })
      expect(await rtnl.getLink('v0')).toBeUndefined()
      expect(await pod.getLink('eth0')).toMatchObject({ up: false, kind: 'veth' })
      expect(await pod.getAddresses({ link: 'eth0' })).toEqual([])
      expect(await destinations(rtnl)).toEqual([])
    })
  })
}
