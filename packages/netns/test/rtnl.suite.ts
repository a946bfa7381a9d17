import type { LinkChange, NewLink, NewRoute, Rtnl } from '@cni/netns'
import type { Netns, Where } from '@cni/netns/handle'
import { describe, expect, test } from 'vitest'
import { failingCall } from './call-undo.ts'
import { settledLinks, settledRoutes } from './comes-later.ts'

/** A node and a pod, of a fake or a real kernel. */
export interface Machines extends AsyncDisposable {
  readonly node: Netns
  readonly pod: Netns
  open(where: Where): Promise<Rtnl>
}

const MAIN = { family: 'ipv4', table: 254 } as const
const TBF = { bitsPerSecond: 8_000_000, burstBytes: 20_000, limitBytes: 45_000 }
const names = async (rtnl: Rtnl): Promise<string[]> => (await rtnl.getLinks()).map(({ name }) => name).sort()
const destinations = async (rtnl: Rtnl): Promise<string[]> =>
  (await rtnl.getRoutes(MAIN)).map(({ cidr }) => cidr).sort()

/** What `openRtnl()` promises, over a fake or a real kernel. */
export function rtnlBehaviour(name: string, start: () => Promise<Machines>): void {
  const within = (title: string, body: (rtnl: Rtnl, pod: Rtnl, machines: Machines) => Promise<void>): void =>
    test(title, async () => {
      await using machines = await start()
      using rtnl = await machines.open(machines.node)
      using pod = await machines.open(machines.pod)
      await rtnl.addLink({ kind: 'veth', name: 'v0', up: true, peer: { name: 'v1', up: true } })
      await rtnl.addLink({ kind: 'bridge', name: 'b0' })
      await body(rtnl, pod, machines)
    })

  describe(`links (${name})`, () => {
    within('are added once; one that is otherwise is EEXIST with what differs', async (rtnl) => {
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
    })

    within('that are refused are not made half', async (rtnl, pod, { pod: netns }) => {
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

    within('of a veth reach into a pod, and go together', async (rtnl, pod, { pod: netns }) => {
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

    within(
      'are born in a pod, also under a name that the node has, and go with what they hang on',
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

    within('are changed as said, which tells how they were', async (rtnl) => {
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

    within('stay as they were when a change is refused', async (rtnl, _, { pod: netns }) => {
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

    within('go into a pod, down and without what they had', async (rtnl, pod, { pod: netns }) => {
      await rtnl.addAddress('v0', '10.9.0.1/24')
      await rtnl.setLink('v0', { netns, name: 'eth0' })
      expect(await rtnl.getLink('v0')).toBeUndefined()
      expect(await pod.getLink('eth0')).toMatchObject({ up: false, kind: 'veth' })
      expect(await pod.getAddresses({ link: 'eth0' })).toEqual([])
      expect(await destinations(rtnl)).toEqual([])
    })
  })

  describe(`addresses and routes (${name})`, () => {
    within('addresses are added once, and bring the route to their network while the link is up', async (rtnl) => {
      expect(await rtnl.addAddress('v0', '10.9.0.1/24')).toEqual({ added: true })
      expect(await rtnl.addAddress('v0', '10.9.0.1/24')).toEqual({ added: false })
      await rtnl.addAddress('v0', '10.9.0.2/24')
      await rtnl.addAddress('v0', '10.8.0.1/32')
      expect(await destinations(rtnl)).toEqual(['10.9.0.0/24'])
      await rtnl.setLinkDown('v0')
      expect(await destinations(rtnl)).toEqual([])
      await rtnl.setLinkUp('v0')
      expect(await destinations(rtnl)).toEqual(['10.9.0.0/24'])
      // what came later in a network goes with the first
      expect(await rtnl.deleteAddress('v0', '10.9.0.1/24')).toEqual({ deleted: true })
      expect(await rtnl.deleteAddress('v0', '10.9.0.1/24')).toEqual({ deleted: false })
      expect((await rtnl.getAddresses({ link: 'v0', family: 'ipv4' })).map(({ cidr }) => cidr)).toEqual(['10.8.0.1/32'])
      expect(await destinations(rtnl)).toEqual([])
    })

    within('an address of IPv6 with another prefix length is EEXIST', async (rtnl) => {
      await rtnl.addAddress('v0', 'fd00::1/64')
      await expect(rtnl.addAddress('v0', 'fd00::1/96')).rejects.toMatchObject({ code: 'EEXIST' })
    })

    within('addresses that are refused', async (rtnl) => {
      for (const cidr of ['10.9.0.1', 'x/24', '10.9.0.1/33', '']) {
        await expect(rtnl.addAddress('v0', cidr)).rejects.toMatchObject({ code: 'INVALID' })
      }
      await expect(rtnl.addAddress('eth7', '10.9.0.1/24')).rejects.toMatchObject({ code: 'ENODEV' })
      await expect(rtnl.addAddress({ cidr: '10.9.0.1/24' })).rejects.toMatchObject({ code: 'INVALID' })
    })

    within('routes are added once, and put back as they were read', async (rtnl) => {
      await rtnl.addAddress('v0', '10.9.0.1/24')
      await rtnl.addAddress('v0', 'fd00::1/64')
      const routes: NewRoute[] = [
        { cidr: '0.0.0.0/0', gateway: '10.9.0.254', mtu: 1300, metric: 7 },
        { destination: 'default', gateway: 'fd00::254' },
        { cidr: '10.1.0.0/16', gateway: '192.0.2.1', link: 'v0', onlink: true },
        { cidr: '10.2.0.0/16', nexthops: [{ gateway: '10.9.0.253', weight: 2 }, { gateway: '10.9.0.254' }] },
        { cidr: '10.3.0.0/16', type: 'blackhole' },
        { cidr: '10.4.0.7/32', link: 'v0', table: 1000, source: '10.9.0.1' },
        { destination: 'default', family: 'ipv4', type: 'local', link: 'lo', table: 133 },
      ]
      for (const route of routes) {
        expect(await rtnl.addRoute(route)).toEqual({ added: true })
        expect(await rtnl.addRoute(route)).toEqual({ added: false })
      }
      const before = await rtnl.getRoutes()
      for (const route of before.filter(({ protocol }) => protocol === 3)) {
        expect(await rtnl.deleteRoute(route)).toEqual({ deleted: true })
        expect(await rtnl.deleteRoute(route)).toEqual({ deleted: false })
        expect(await rtnl.addRoute(route)).toEqual({ added: true })
      }
      expect(settledRoutes(await rtnl.getRoutes())).toEqual(settledRoutes(before))
      expect(before).toContainEqual(
        expect.objectContaining({
          destination: 'default',
          cidr: '0.0.0.0/0',
          gateway: '10.9.0.254',
          metric: 7,
          mtu: 1300,
        }),
      )
      await rtnl.replaceRoute({ cidr: '10.1.0.0/16', gateway: '10.9.0.253' })
      expect((await rtnl.getRoutes(MAIN)).filter(({ cidr }) => cidr === '10.1.0.0/16')).toEqual([
        expect.objectContaining({ gateway: '10.9.0.253' }),
      ])
      // to delete, the destination is enough
      expect(await rtnl.deleteRoute({ destination: '10.2.0.0/16' })).toEqual({ deleted: true })
      expect(await rtnl.deleteRoute({ destination: '10.2.0.0/16', link: 'eth7' })).toEqual({ deleted: false })
    })

    within('routes that are refused', async (rtnl) => {
      await rtnl.addAddress('v0', '10.9.0.1/24')
      await rtnl.addRoute({ cidr: '10.1.0.0/16', gateway: '10.9.0.254' })
      const before = await rtnl.getRoutes(MAIN)
      const refused: Array<[NewRoute, string]> = [
        [{ cidr: '10.1.0.0/16', gateway: '10.9.0.253' }, 'EEXIST'],
        [{ cidr: '10.2.0.0/16', gateway: '192.0.2.1' }, 'ENETUNREACH'],
        [{ cidr: '10.2.0.0/16', link: 'eth7' }, 'ENODEV'],
        [{ cidr: '10.2.0.0/16', link: 'b0' }, 'ENETDOWN'],
        [{ cidr: '10.2.0.0/16', link: 'v0', source: '10.7.7.7' }, 'EINVAL'],
        [{ cidr: '10.2.0.0/16', gateway: 'fd00::1' }, 'INVALID'],
        [{ destination: 'default' }, 'INVALID'],
        [{ destination: 'default', cidr: '10.0.0.0/8' }, 'INVALID'],
        [{ cidr: 'everywhere' }, 'INVALID'],
      ]
      for (const [route, code] of refused) await expect(rtnl.addRoute(route), code).rejects.toMatchObject({ code })
      expect(await rtnl.getRoutes(MAIN)).toEqual(before)
    })
  })

  describe(`rules, neighbours, qdiscs (${name})`, () => {
    within('rules are added once, in front of the others, and put back', async (rtnl) => {
      expect((await rtnl.getRules()).map(({ table }) => table)).toEqual([255, 254, 253, 255, 254])
      const rule = { family: 'ipv4', fwmark: 1337, table: 133 } as const
      expect(await rtnl.addRule(rule)).toEqual({ added: true })
      expect(await rtnl.addRule(rule)).toEqual({ added: false })
      await rtnl.addRule({ family: 'ipv4', from: '10.0.0.7/8', table: 134 })
      const read = await rtnl.getRules('ipv4')
      expect(read.map(({ priority, table }) => [priority, table])).toEqual([
        [0, 255],
        [32764, 134],
        [32765, 133],
        [32766, 254],
        [32767, 253],
      ])
      const [, first] = read
      if (first === undefined) throw new Error('not there')
      expect(first.from).toBe('10.0.0.0/8')
      expect(await rtnl.deleteRule(first)).toEqual({ deleted: true })
      expect(await rtnl.deleteRule(first)).toEqual({ deleted: false })
      expect(await rtnl.addRule(first)).toEqual({ added: true })
      expect(await rtnl.getRules('ipv4')).toEqual(read)
      await expect(rtnl.addRule({ family: 'ipv4', from: 'fd00::/8', table: 1 })).rejects.toMatchObject({
        code: 'INVALID',
      })
    })

    within('neighbours are added once, replaced, and deleted', async (rtnl) => {
      const entry = { link: 'v0', address: '10.9.0.7', mac: '02:00:00:00:00:07' }
      expect(await rtnl.addNeighbour(entry)).toEqual({ added: true })
      expect(await rtnl.addNeighbour(entry)).toEqual({ added: false })
      await expect(rtnl.addNeighbour({ ...entry, mac: '02:00:00:00:00:08' })).rejects.toMatchObject({ code: 'EEXIST' })
      await rtnl.replaceNeighbour({ ...entry, mac: '02:00:00:00:00:08' })
      const [read] = await rtnl.getNeighbours({ link: 'v0', family: 'ipv4' })
      expect(read).toMatchObject({ address: '10.9.0.7', mac: '02:00:00:00:00:08', state: 'permanent', proxy: false })
      expect(await rtnl.deleteNeighbour(entry)).toEqual({ deleted: true })
      expect(await rtnl.deleteNeighbour(entry)).toEqual({ deleted: false })
      await expect(rtnl.addNeighbour({ link: 'v0', address: '10.9.0.7' })).rejects.toMatchObject({ code: 'INVALID' })
      await expect(rtnl.addNeighbour({ ...entry, link: 'eth7' })).rejects.toMatchObject({ code: 'ENODEV' })
    })

    within('qdiscs and redirections are added once, and go', async (rtnl) => {
      const tbf = { kind: 'tbf', link: 'v0', handle: '1:', tbf: TBF } as const
      expect(await rtnl.addQdisc(tbf)).toEqual({ added: true })
      expect(await rtnl.addQdisc(tbf)).toEqual({ added: false })
      await expect(rtnl.addQdisc({ ...tbf, tbf: { ...TBF, burstBytes: 30_000 } })).rejects.toMatchObject({
        code: 'EEXIST',
      })
      await expect(rtnl.addRedirect({ link: 'v0', to: 'v1' })).rejects.toMatchObject({ code: 'EINVAL' })
      expect(await rtnl.addQdisc({ kind: 'ingress', link: 'v0' })).toEqual({ added: true })
      expect(await rtnl.addQdisc({ kind: 'ingress', link: 'v0' })).toEqual({ added: false })
      expect(await rtnl.addRedirect({ link: 'v0', to: 'v1' })).toEqual({ added: true })
      expect(await rtnl.addRedirect({ link: 'v0', to: 'v1' })).toEqual({ added: false })
      expect(
        (await rtnl.getQdiscs({ link: 'v0' })).map(({ kind, handle, parent, tbf }) => ({ kind, handle, parent, tbf })),
      ).toEqual([
        { kind: 'tbf', handle: '1:', parent: 'root', tbf: TBF },
        { kind: 'ingress', handle: 'ffff:', parent: 'ingress', tbf: undefined },
      ])
      expect(await rtnl.deleteQdisc({ kind: 'ingress', link: 'v0' })).toEqual({ deleted: true })
      expect(await rtnl.getRedirects({ link: 'v0' })).toEqual([])
      expect(await rtnl.deleteQdisc({ link: 'v0' })).toEqual({ deleted: true })
      expect(await rtnl.deleteQdisc({ link: 'v0' })).toEqual({ deleted: false })
    })
  })

  describe(`calls (${name})`, () => {
    within(
      'a failing ADD leaves everything as it was, in both namespaces',
      async (rtnl, pod, { open, node, pod: netns }) => {
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
      },
    )

    within('what is closed says so', async (rtnl) => {
      rtnl.close()
      rtnl.close()
      await expect(rtnl.getLinks()).rejects.toMatchObject({ code: 'CLOSED' })
    })
  })
}
