import { type Netns, netns, openRtnl, type Rtnl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { settledLinks, settledRoutes } from '../settled.ts'
import { lackingKinds, oneOfEach } from './link-kinds.ts'

const lacking = await lackingKinds()
const kinds = oneOfEach.map((link) => {
  const is = lacking.has(link.kind)
  return { link, title: `${link.kind}${is ? ' (skipped: this kernel has no such links)' : ''}`, is }
})

let pod: Netns & AsyncDisposable
let rtnl: Rtnl
beforeEach(async () => {
  pod = await tempNetns()
  rtnl = await openRtnl(pod)
  await rtnl.addLink({ name: 'v0', kind: 'veth', up: true, peer: { name: 'v1', up: true } })
  await rtnl.addAddress('v0', '10.9.0.1/24')
})
afterEach(async () => {
  rtnl.close()
  await pod[Symbol.asyncDispose]()
})
const ip = async (...args: string[]): Promise<string> => (await netns.exec(pod, ['ip', ...args])).stdout

describe('a link', () => {
  for (const { link, title, is } of kinds) {
    test.skipIf(is)(`has the given values for the kind ${title}, and can be created again as read`, async () => {
      expect(await rtnl.addLink(link)).toEqual({ added: true })
      expect(await rtnl.addLink(link)).toEqual({ added: false })
      const read = await rtnl.getLink('x0')
      if (read === undefined) throw new Error('no x0')
      const { name, kind, ...rest } = link
      const said = Object.entries(rest).filter(([member]) => member !== 'peer' && member !== 'parent')
      expect(read).toMatchObject({ name, kind, ...Object.fromEntries(said) })
      await rtnl.deleteLink(read)
      expect(await rtnl.addLink({ ...read, ...('peer' in link ? { peer: link.peer } : {}) })).toEqual({ added: true })
      const again = await rtnl.getLink('x0')
      // The parent of a veth is its peer, whose index changes.
      const ignore = { index: 0, running: false, ...(kind === 'veth' ? { parent: 0 } : {}) }
      expect({ ...again, ...ignore }).toEqual({ ...read, ...ignore })
    })
  }

  test.skipIf(lacking.has('vlanFiltering'))(
    'keeps the options for VLAN filtering (skipped on kernels without bridge VLANs)',
    async () => {
      const bridge = { vlanFiltering: true, vlanDefaultPvid: 0 }
      await rtnl.addLink({ kind: 'bridge', name: 'x0', bridge })
      expect(await rtnl.getLink('x0')).toMatchObject({ bridge })
      expect(await rtnl.addLink({ kind: 'bridge', name: 'x0', bridge })).toEqual({ added: false })
    },
  )

  test('is refused with EEXIST if it exists with other values, and the message names one', async () => {
    await rtnl.addLink({ kind: 'macvlan', name: 'x0', parent: 'v0', macvlan: { mode: 'bridge' } })
    for (const [link, reason] of [
      [
        { kind: 'macvlan', name: 'x0', parent: 'v0', macvlan: { mode: 'vepa' } },
        'macvlan.mode is "bridge", not "vepa"',
      ],
      [{ kind: 'macvlan', name: 'x0', parent: 'v0', mtu: 1400 }, 'mtu is 1500, not 1400'],
      [{ kind: 'macvlan', name: 'x0', parent: 'v1' }, 'parent is '],
      [{ kind: 'bridge', name: 'x0' }, 'kind is "macvlan", not "bridge"'],
    ] as const) {
      await expect(rtnl.addLink(link)).rejects.toMatchObject({
        code: 'EEXIST',
        message: expect.stringContaining(`EEXIST: it exists, but its ${reason}`),
      })
    }
  })

  test('can be created up, in a bridge, as a port with options', async () => {
    await rtnl.addLink({ kind: 'bridge', name: 'b0', up: true })
    const bridgePort = { hairpin: true, isolated: true, learning: false }
    await rtnl.addLink({ kind: 'ifb', name: 'x0', up: true, master: 'b0', bridgePort })
    expect(await rtnl.getLink('x0')).toMatchObject({
      up: true,
      master: (await rtnl.getLink('b0'))?.index,
      bridgePort,
    })
  })

  test('can be created in another namespace, also with a name that is in use here', async () => {
    await using other = await tempNetns()
    using there = await openRtnl(other)
    for (const name of ['v1', 'eth0']) {
      const link = { kind: 'macvlan', name, parent: 'v0', up: true, netns: other } as const
      expect(await rtnl.addLink(link)).toEqual({ added: true })
      expect(await rtnl.addLink(link)).toEqual({ added: false })
      expect(await there.getLink(name)).toMatchObject({ kind: 'macvlan', up: true, parentNetns: expect.any(Number) })
    }
    expect((await rtnl.getLinks()).map(({ name }) => name).sort()).toEqual(['lo', 'v0', 'v1'])
  })

  test('cannot be added if it is hardware', async () => {
    const lo = await rtnl.getLink('lo')
    if (lo === undefined) throw new Error('no lo')
    await expect(rtnl.addLink(lo)).rejects.toMatchObject({
      code: 'INVALID',
      message: expect.stringContaining('hardware'),
    })
  })

  test('is not left half created if the kernel refuses one end', async () => {
    await using other = await tempNetns()
    const before = settledLinks(await rtnl.getLinks())
    for (const link of [
      { kind: 'veth', name: 'x0', peer: { name: 'v0' } },
      { kind: 'veth', name: 'x0', peer: { name: 'x1', mtu: 70_000 } },
      { kind: 'veth', name: 'x0', master: 'b7', peer: { name: 'x1' } },
      { kind: 'veth', name: 'x0', peer: { name: 'a/b' } },
      { kind: 'veth', name: 'x0', peer: { name: 'lo', netns: other } },
      { kind: 'macvlan', name: 'x0', parent: 'lo' },
      { kind: 'macvlan', name: 'x0', parent: 'eth7' },
      { kind: 'ifb', name: 'x0', bridgePort: { priority: 99 }, master: 'v0' },
      { kind: 'vxlan', name: 'x0', vxlan: { id: 0x1000000 } },
      { kind: 'bridge', name: 'x0', mtu: -1 },
      { kind: 'bridge', name: 'x0', mac: 'nothing' },
      { kind: 'bridge', name: 'sixteen-bytes-xx' },
    ] as const) {
      await expect(rtnl.addLink(link)).rejects.toMatchObject({ name: 'NetnsError' })
    }
    expect(settledLinks(await rtnl.getLinks())).toEqual(before)
  })
})

describe('an address', () => {
  test('can be deleted and added again as read', async () => {
    await rtnl.addAddress({ link: 'v0', cidr: '10.1.0.1/32', peer: '10.1.0.9', label: 'v0:pod', metric: 50 })
    await rtnl.addAddress({
      link: 'v0',
      cidr: '10.2.0.1/24',
      broadcast: '10.2.0.255',
      scope: 'link',
      noPrefixRoute: true,
    })
    await rtnl.addAddress({ link: 'v0', cidr: 'fd00::1/64', validSeconds: 1000, preferredSeconds: 500, noDad: true })
    expect(await ip('addr', 'show', 'v0')).toMatch(
      /brd 10.2.0.255 scope link noprefixroute v0[\s\S]*inet 10.1.0.1 peer 10.1.0.9\/32 metric 50 scope global v0:pod/,
    )
    for (const cidr of ['10.1.0.1/32', '10.2.0.1/24', 'fd00::1/64']) {
      const find = async () => (await rtnl.getAddresses({ link: 'v0' })).find((each) => each.cidr === cidr)
      const address = await find()
      if (address === undefined) throw new Error(`no ${cidr}`)
      expect(await rtnl.deleteAddress(address)).toEqual({ deleted: true })
      expect(await find()).toBeUndefined()
      expect(await rtnl.addAddress(address)).toEqual({ added: true })
      const { validSeconds, preferredSeconds, tentative: _, ...rest } = (await find()) ?? {}
      expect(address).toMatchObject(rest)
      expect((validSeconds ?? 0) <= (address.validSeconds ?? 0)).toBe(true)
      expect((preferredSeconds ?? 0) <= (address.preferredSeconds ?? 0)).toBe(true)
    }
  })

  test.each(['10.1.0.1', 'fd00::1', '', 'x/24', '10.1.0.1/33', '10.1.0.1/'])('%j is refused', async (cidr) => {
    for (const attempt of [rtnl.addAddress('v0', cidr), rtnl.deleteAddress('v0', cidr)]) {
      await expect(attempt).rejects.toMatchObject({ code: 'INVALID', message: expect.stringContaining('10.0.0.1/24') })
    }
  })

  test('is refused without a link, with a missing link, or with parts of another family', async () => {
    await expect(rtnl.addAddress({ cidr: '10.1.0.1/24' })).rejects.toMatchObject({ code: 'INVALID' })
    await expect(rtnl.addAddress('eth7', '10.1.0.1/24')).rejects.toMatchObject({ code: 'ENODEV' })
    await expect(rtnl.addAddress({ link: 'v0', cidr: '10.1.0.1/24', peer: 'fd00::1' })).rejects.toMatchObject({
      code: 'INVALID',
      message: expect.stringContaining('ipv6'),
    })
    expect(await rtnl.getAddresses({ link: 'v0', family: 'ipv4' })).toHaveLength(1)
  })
})

describe('a route', () => {
  const routes = [
    ['of everything', { cidr: '0.0.0.0/0', gateway: '10.9.0.254' }, /default via 10.9.0.254/],
    ['of everything of IPv6', { cidr: '::/0', link: 'v0', metric: 7 }, /default dev v0 metric 7/],
    [
      'by a gateway that no address leads to',
      { cidr: '10.3.0.0/16', gateway: '192.0.2.1', link: 'v0', onlink: true },
      /via 192.0.2.1 dev v0 onlink/,
    ],
    ['with an MTU', { cidr: '10.3.0.0/16', gateway: '10.9.0.254', mtu: 1300, advMss: 1200 }, /mtu 1300 advmss 1200/],
    [
      'by two gateways',
      {
        cidr: '10.3.0.0/16',
        nexthops: [
          { gateway: '10.9.0.253', weight: 3 },
          { gateway: '10.9.0.254', link: 'v0' },
        ],
      },
      /nexthop via 10.9.0.253 dev v0 weight 3\s*nexthop via 10.9.0.254 dev v0 weight 1/,
    ],
    [
      'of another table',
      { cidr: '10.3.0.0/16', link: 'v0', table: 1000, protocol: 4, source: '10.9.0.1', scope: 'link' },
      /10.3.0.0\/16 dev v0 table 1000 proto static scope link src 10.9.0.1/,
    ],
    [
      'that leads nowhere',
      { cidr: 'fd00:3::/64', type: 'blackhole', metric: 9 },
      /blackhole fd00:3::\/64 dev lo metric 9/,
    ],
    ['that leads nowhere in IPv4', { cidr: '10.3.0.0/16', type: 'prohibit' }, /prohibit 10.3.0.0\/16/],
  ] as const
  test.each(routes)('%s can be deleted and added again as read', async (_, wanted, text) => {
    expect(await rtnl.addRoute(wanted)).toEqual({ added: true })
    expect(await rtnl.addRoute(wanted)).toEqual({ added: false })
    const before = await rtnl.getRoutes()
    expect((await ip('route', 'show', 'table', 'all')) + (await ip('-6', 'route', 'show', 'table', 'all'))).toMatch(
      text,
    )
    const route = before.find(({ cidr, table }) => cidr === wanted.cidr && table !== 255)
    if (route === undefined) throw new Error('not there')
    expect(await rtnl.deleteRoute(route)).toEqual({ deleted: true })
    expect(await rtnl.addRoute(route)).toEqual({ added: true })
    expect(settledRoutes(await rtnl.getRoutes())).toEqual(settledRoutes(before))
    expect(await rtnl.deleteRoute(wanted)).toEqual({ deleted: true })
  })

  test('to an own IPv6 address, added late by the kernel, does not count as a change', async () => {
    await rtnl.addAddress('v0', 'fd00::1/64')
    const before = await rtnl.getRoutes()
    await expect
      .poll(async () => (await rtnl.getRoutes()).map(({ cidr }) => cidr), { timeout: 20_000 })
      .toContain('fd00::1/128')
    expect(settledRoutes(await rtnl.getRoutes())).toEqual(settledRoutes(before))
  })

  test('by iproute2 with unnamed attributes can be deleted and added again as read', async () => {
    await ip('route', 'add', '10.3.0.0/16', 'via', 'inet6', 'fe80::1', 'dev', 'v0')
    const before = await ip('route')
    const route = (await rtnl.getRoutes()).find(({ cidr }) => cidr === '10.3.0.0/16')
    if (route === undefined) throw new Error('not there')
    await rtnl.deleteRoute(route)
    await rtnl.addRoute(route)
    expect(await ip('route')).toBe(before)
  })

  test('can be replaced', async () => {
    await rtnl.addRoute({ cidr: '10.3.0.0/16', gateway: '10.9.0.254' })
    await rtnl.replaceRoute({ cidr: '10.3.0.0/16', gateway: '10.9.0.253' })
    expect((await rtnl.getRoutes()).filter(({ cidr }) => cidr === '10.3.0.0/16')).toEqual([
      expect.objectContaining({ gateway: '10.9.0.253' }),
    ])
  })

  test('with contradictory members is refused', async () => {
    for (const route of [
      { destination: 'default', cidr: '10.0.0.0/8' },
      { destination: '10.0.0.0/8', cidr: '10.0.0.0/16' },
      { cidr: '10.0.0.0/8', nexthops: [{ gateway: '10.9.0.254' }], link: 'v0' },
      { cidr: '10.0.0.0/8', nexthops: [{ gateway: 'fd00::1' }] },
      { cidr: '10.0.0.0/8', link: 'v0', table: -1 },
      { cidr: '10.0.0.0/8', link: 'v0', mtu: 1.5 },
      { cidr: '10.0.0.0/8', nexthops: [{ gateway: '10.9.0.254', weight: 0 }] },
    ] as const) {
      await expect(rtnl.addRoute(route), JSON.stringify(route)).rejects.toMatchObject({ code: 'INVALID' })
    }
  })
})

test('a rule can be deleted and added again as read', async () => {
  await rtnl.addRule({ family: 'ipv4', from: '10.0.0.0/8', fwmark: 1, mask: 255, table: 7, invert: true, iif: 'lo' })
  const rule = (await rtnl.getRules('ipv4')).find(({ table }) => table === 7)
  if (rule === undefined) throw new Error('not there')
  expect(await rtnl.deleteRule(rule)).toEqual({ deleted: true })
  expect(await rtnl.addRule(rule)).toEqual({ added: true })
  expect(await rtnl.getRules('ipv4')).toContainEqual(rule)
})
