import { isSameTbf, type NewRoute, tbf } from '@cni/netns'
import { describe, expect } from 'vitest'
import type { AddressFilter } from '../../src/rtnl/port/arguments.ts'
import { destinations, MAIN, type TestInNode } from '../machines.ts'
import { settledRoutes } from '../settled.ts'

const TBF = { bitsPerSecond: 8_000_000, burstBytes: 20_000, limitBytes: 45_000 }

/** Tests of `openRtnl()` for addresses, routes, rules, neighbours and qdiscs, over a fake and a real kernel. */
export function routeBehaviour(name: string, inNode: TestInNode): void {
  describe(`addresses and routes (${name})`, () => {
    inNode('addresses are added once, and add the route to their network while the link is up', async (rtnl) => {
      expect(await rtnl.addAddress('v0', '10.9.0.1/24')).toEqual({ added: true })
      expect(await rtnl.addAddress('v0', '10.9.0.1/24')).toEqual({ added: false })
      await rtnl.addAddress('v0', '10.9.0.2/24')
      await rtnl.addAddress('v0', '10.8.0.1/32')
      expect(await destinations(rtnl)).toEqual(['10.9.0.0/24'])
      await rtnl.setLinkDown('v0')
      expect(await destinations(rtnl)).toEqual([])
      await rtnl.setLinkUp('v0')
      expect(await destinations(rtnl)).toEqual(['10.9.0.0/24'])
      // Deletes the first address of a network; the kernel also deletes the network's secondary addresses.
      expect(await rtnl.deleteAddress('v0', '10.9.0.1/24')).toEqual({ deleted: true })
      expect(await rtnl.deleteAddress('v0', '10.9.0.1/24')).toEqual({ deleted: false })
      expect((await rtnl.getAddresses({ link: 'v0', family: 'ipv4' })).map(({ cidr }) => cidr)).toEqual(['10.8.0.1/32'])
      expect(await destinations(rtnl)).toEqual([])
    })

    inNode('addresses can be listed by link, family and scope', async (rtnl) => {
      await rtnl.addAddress('v0', '10.9.0.1/24')
      await rtnl.addAddress({ link: 'v0', cidr: '169.254.0.1/16', scope: 'link' })
      const found = async (filter: AddressFilter) => (await rtnl.getAddresses(filter)).map(({ address }) => address)
      expect(await found({ link: 'v0', scope: 'universe' })).toEqual(['10.9.0.1'])
      expect(await found({ link: 'v0', family: 'ipv4', scope: 'link' })).toEqual(['169.254.0.1'])
      expect(await found({ link: 'v0', family: 'ipv6', scope: 'universe' })).toEqual([])
    })

    inNode('an existing IPv6 address with another prefix length is EEXIST', async (rtnl) => {
      await rtnl.addAddress('v0', 'fd00::1/64')
      await expect(rtnl.addAddress('v0', 'fd00::1/96')).rejects.toMatchObject({ code: 'EEXIST' })
    })

    inNode('invalid addresses are refused', async (rtnl) => {
      for (const cidr of ['10.9.0.1', 'x/24', '10.9.0.1/33', '']) {
        await expect(rtnl.addAddress('v0', cidr)).rejects.toMatchObject({ code: 'INVALID' })
      }
      await expect(rtnl.addAddress('eth7', '10.9.0.1/24')).rejects.toMatchObject({ code: 'ENODEV' })
      await expect(rtnl.addAddress({ cidr: '10.9.0.1/24' })).rejects.toMatchObject({ code: 'INVALID' })
    })

    inNode('routes are added once, and can be added again as read', async (rtnl) => {
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
      // Deletes the route by its destination alone, without a gateway or a link.
      expect(await rtnl.deleteRoute({ destination: '10.2.0.0/16' })).toEqual({ deleted: true })
      expect(await rtnl.deleteRoute({ destination: '10.2.0.0/16', link: 'eth7' })).toEqual({ deleted: false })
    })

    inNode('invalid routes are refused', async (rtnl) => {
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
    inNode('a rule may continue at a later rule', async (rtnl) => {
      const skip = { family: 'ipv4', table: 0, goto: 32_766, priority: 100, fwmark: 0x200, mask: 0x200 } as const
      expect(await rtnl.addRule(skip)).toEqual({ added: true })
      expect(await rtnl.addRule(skip)).toEqual({ added: false })
      expect((await rtnl.getRules('ipv4'))[1]).toEqual({ ...skip, invert: false })
      expect(await rtnl.deleteRule({ ...skip, goto: 32_767 })).toEqual({ deleted: false })
      expect(await rtnl.deleteRule({ ...skip, goto: undefined })).toEqual({ deleted: false })
      expect(await rtnl.deleteRule(skip)).toEqual({ deleted: true })
      await expect(rtnl.addRule({ ...skip, goto: 0 })).rejects.toMatchObject({ code: 'INVALID' })
    })

    inNode('rules are added once, before the others, and can be added again as read', async (rtnl) => {
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
      expect(await rtnl.getRules({ table: 133 })).toEqual([read[2]])
      expect(await rtnl.getRules({ table: 133, family: 'ipv6' })).toEqual([])
      expect(await rtnl.getRules({ family: 'ipv4' })).toEqual(read)
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

    inNode('neighbours are added once, replaced, and deleted', async (rtnl) => {
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

    inNode('qdiscs and redirections are added once, and deleted', async (rtnl) => {
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

    inNode('tbf() gives every rate a burst that the kernel accepts and returns', async (rtnl) => {
      for (const bitsPerSecond of [1, 1000, 999_999, 8_000_000, 1e9, 1e11, 1e12, 1e15]) {
        for (const burstBits of [undefined, 0, 1, 0x7fffffff, 0xffffffff, Number.MAX_SAFE_INTEGER]) {
          const qdisc = { kind: 'tbf', link: 'v0', handle: '1:', tbf: tbf({ bitsPerSecond, burstBits }) } as const
          await rtnl.replaceQdisc(qdisc)
          const [read] = await rtnl.getQdiscs({ link: 'v0' })
          expect(read?.tbf !== undefined && isSameTbf(read.tbf, qdisc.tbf), JSON.stringify([read, qdisc])).toBe(true)
          expect(await rtnl.addQdisc(qdisc)).toEqual({ added: false })
        }
      }
    })
  })
}
