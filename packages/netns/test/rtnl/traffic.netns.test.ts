import { type Netns, netns, openRtnl, type Rtnl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { failingCall } from '../call-undo.ts'
import { lackingKinds } from './link-kinds.ts'

const lacking = await lackingKinds()

let pod: Netns & AsyncDisposable
let rtnl: Rtnl
beforeEach(async () => {
  pod = await tempNetns()
  rtnl = await openRtnl(pod)
  await rtnl.addLink({ name: 'v0', kind: 'veth', up: true, peer: { name: 'v1', up: true } })
  await rtnl.addLink({ name: 'ifb0', kind: 'ifb', up: true })
})
afterEach(async () => {
  rtnl.close()
  await pod[Symbol.asyncDispose]()
})
const run = async (...argv: [string, ...string[]]): Promise<string> => (await netns.exec(pod, argv)).stdout
const indexOf = async (name: string): Promise<number> => (await rtnl.getLink(name))?.index ?? 0

describe('neighbours', () => {
  test('are added once for both families, listed, replaced and deleted', async () => {
    for (const [address, mac] of [
      ['10.9.0.7', '02:00:00:00:00:07'],
      ['fd00:0::7', '02:00:00:00:00:08'],
    ] as const) {
      const entry = { link: 'v0', address, mac }
      expect(await rtnl.addNeighbour(entry)).toEqual({ added: true })
      expect(await rtnl.addNeighbour(entry)).toEqual({ added: false })
      await expect(rtnl.addNeighbour({ ...entry, mac: '02:00:00:00:00:09' })).rejects.toMatchObject({
        code: 'EEXIST',
        message: expect.stringContaining(`mac is "${mac}", not "02:00:00:00:00:09"`),
      })
      await rtnl.replaceNeighbour({ ...entry, mac: '02:00:00:00:00:09', state: 'stale' })
    }
    expect(await run('ip', 'neigh', 'show', 'dev', 'v0')).toMatch(/10.9.0.7 lladdr 02:00:00:00:00:09 STALE/)
    const read = await rtnl.getNeighbours({ link: 'v0' })
    const [one] = read.filter(({ address }) => address === 'fd00::7')
    if (one === undefined) throw new Error('not there')
    expect(one).toMatchObject({ family: 'ipv6', mac: '02:00:00:00:00:09', state: 'stale', proxy: false })
    expect(await rtnl.deleteNeighbour(one)).toEqual({ deleted: true })
    expect(await rtnl.deleteNeighbour(one)).toEqual({ deleted: false })
    expect(await rtnl.addNeighbour(one)).toEqual({ added: true })
    expect(await rtnl.getNeighbours({ link: 'v0', family: 'ipv6' })).toContainEqual(one)
  })

  test('with proxy entries are listed separately', async () => {
    const entry = { link: 'v0', address: '10.9.0.8', proxy: true }
    expect(await rtnl.addNeighbour(entry)).toEqual({ added: true })
    expect(await rtnl.addNeighbour(entry)).toEqual({ added: false })
    expect(await run('ip', 'neigh', 'show', 'proxy')).toContain('10.9.0.8 dev v0')
    expect(await rtnl.getNeighbours({ link: 'v0', proxy: true })).toEqual([
      expect.objectContaining({ address: '10.9.0.8', proxy: true }),
    ])
    expect(await rtnl.deleteNeighbour(entry)).toEqual({ deleted: true })
    expect(await rtnl.deleteNeighbour(entry)).toEqual({ deleted: false })
  })

  test.each([
    ['without a MAC', { link: 'v0', address: '10.9.0.7' }, 'INVALID'],
    ['with a bad MAC', { link: 'v0', address: '10.9.0.7', mac: 'x' }, 'INVALID'],
    ['with a prefix', { link: 'v0', address: '10.9.0.7/24', mac: '02:00:00:00:00:07' }, 'INVALID'],
    ['of no link', { address: '10.9.0.7', mac: '02:00:00:00:00:07' }, 'INVALID'],
    ['of a missing link', { link: 'eth7', address: '10.9.0.7', mac: '02:00:00:00:00:07' }, 'ENODEV'],
  ])('%s are refused', async (_, entry, code) => {
    await expect(rtnl.addNeighbour(entry)).rejects.toMatchObject({ name: 'NetnsError', code })
    expect(await rtnl.getNeighbours({ family: 'ipv4' })).toEqual([])
  })
})

describe('qdiscs', () => {
  const tbf = { bitsPerSecond: 8_000_000, burstBytes: 20_000, latency: 25 }

  test('tbf is added once, read, replaced and deleted, and is visible to tc', async () => {
    const qdisc = { kind: 'tbf', link: 'v0', handle: '1:', tbf } as const
    expect(await rtnl.addQdisc(qdisc)).toEqual({ added: true })
    expect(await rtnl.addQdisc(qdisc)).toEqual({ added: false })
    expect(await run('tc', 'qdisc', 'show', 'dev', 'v0')).toMatch(
      /qdisc tbf 1: root refcnt \d+ rate 8Mbit burst 20000b lat 25ms/,
    )
    const [read] = await rtnl.getQdiscs({ link: 'v0' })
    if (read === undefined) throw new Error('not there')
    expect(read).toEqual({
      linkIndex: await indexOf('v0'),
      kind: 'tbf',
      handle: '1:',
      parent: 'root',
      tbf: { bitsPerSecond: 8_000_000, burstBytes: 20_000, limitBytes: 45_000 },
    })
    await expect(rtnl.addQdisc({ ...qdisc, tbf: { ...tbf, bitsPerSecond: 16_000_000 } })).rejects.toMatchObject({
      code: 'EEXIST',
    })
    await rtnl.replaceQdisc({ ...qdisc, tbf: { ...tbf, bitsPerSecond: 16_000_000 } })
    expect(await run('tc', 'qdisc', 'show', 'dev', 'v0')).toContain('rate 16Mbit')
    expect(await rtnl.deleteQdisc(read)).toEqual({ deleted: true })
    expect(await rtnl.deleteQdisc(read)).toEqual({ deleted: false })
    expect(await rtnl.addQdisc(read)).toEqual({ added: true })
    expect(await rtnl.getQdiscs({ link: 'v0' })).toEqual([read])
  })

  test('tbf is exact from a kilobit to a hundred gigabits', async () => {
    for (const bitsPerSecond of [1000, 999_999, 10_000_000_000, 100_000_000_000]) {
      const burstBytes = Math.min(100_000, bitsPerSecond)
      const wanted = { bitsPerSecond: bitsPerSecond - (bitsPerSecond % 8), burstBytes, limitBytes: 200_000 }
      await rtnl.replaceQdisc({ kind: 'tbf', link: 'v0', handle: '1:', tbf: wanted })
      const [read] = await rtnl.getQdiscs({ link: 'v0' })
      expect(read?.tbf).toMatchObject({ bitsPerSecond: wanted.bitsPerSecond, limitBytes: 200_000 })
      expect(Math.abs((read?.tbf?.burstBytes ?? 0) - burstBytes)).toBeLessThanOrEqual(
        (bitsPerSecond / 8 / 1e9) * 64 + 1,
      )
      expect(await rtnl.addQdisc({ kind: 'tbf', link: 'v0', handle: '1:', tbf: wanted })).toEqual({ added: false })
    }
  })

  test.each(['ingress', 'clsact'] as const)('%s redirects all arriving packets to another link', async (kind) => {
    expect(await rtnl.addQdisc({ kind, link: 'v0' })).toEqual({ added: true })
    expect(await rtnl.addQdisc({ kind, link: 'v0' })).toEqual({ added: false })
    const redirect = { link: 'v0', to: 'ifb0' }
    expect(await rtnl.addRedirect(redirect)).toEqual({ added: true })
    expect(await rtnl.addRedirect(redirect)).toEqual({ added: false })
    const wanted = { linkIndex: await indexOf('v0'), to: await indexOf('ifb0'), priority: 1 }
    expect(await rtnl.getRedirects({ link: 'v0' })).toEqual([wanted])
    expect(await rtnl.getRedirects()).toEqual([wanted])
    expect(await run('tc', 'filter', 'show', 'dev', 'v0', 'ingress')).toMatch(
      /mirred \(Egress Redirect to device ifb0\) stolen/,
    )
    // Packets of the other end arrive there.
    await rtnl.addAddress('v1', '10.9.0.1/24')
    await rtnl.addNeighbour({ link: 'v1', address: '10.9.0.2', mac: '02:00:00:00:00:02' })
    await run('bash', '-c', 'echo x > /dev/udp/10.9.0.2/9')
    expect(Number(/ifb0: *\d+ +(\d+)/.exec(await run('cat', '/proc/thread-self/net/dev'))?.[1])).toBeGreaterThan(0)
    expect(await rtnl.deleteRedirect(redirect)).toEqual({ deleted: true })
    expect(await rtnl.deleteRedirect(redirect)).toEqual({ deleted: false })
    expect(await rtnl.deleteQdisc({ kind, link: 'v0' })).toEqual({ deleted: true })
    expect(await rtnl.deleteQdisc({ kind, link: 'v0' })).toEqual({ deleted: false })
  })

  test('invalid qdiscs are refused and leave nothing', async () => {
    const before = await rtnl.getQdiscs()
    await expect(rtnl.addRedirect({ link: 'v0', to: 'ifb0' })).rejects.toMatchObject({
      message: expect.stringContaining('the link needs the qdisc ingress or clsact'),
    })
    for (const qdisc of [
      { kind: 'tbf', link: 'v0', tbf: { ...tbf, bitsPerSecond: 0 } },
      { kind: 'tbf', link: 'v0', tbf: { ...tbf, burstBytes: 1.5 } },
      { kind: 'tbf', link: 'v0', tbf: { ...tbf, bitsPerSecond: 80, burstBytes: 10_000 } },
      { kind: 'tbf', link: 'v0', tbf, handle: 'x' },
      { kind: 'tbf', link: 'v0', tbf, parent: '7:1' },
      { kind: 'tbf', link: 'eth7', tbf },
      { kind: 'ingress' },
    ] as const) {
      await expect(rtnl.addQdisc(qdisc)).rejects.toMatchObject({ name: 'NetnsError' })
    }
    expect(await rtnl.getQdiscs()).toEqual(before)
  })

  test('ingress and clsact exclude each other', async () => {
    await rtnl.addQdisc({ kind: 'ingress', link: 'v0' })
    await expect(rtnl.addQdisc({ kind: 'clsact', link: 'v0' })).rejects.toMatchObject({ code: 'EEXIST' })
    expect(await rtnl.deleteQdisc({ kind: 'clsact', link: 'v0' })).toEqual({ deleted: false })
  })
})

describe.skipIf(lacking.has('vlanFiltering'))('VLANs of a bridge (skipped where bridges know no VLANs)', () => {
  test('are added once to a port and to the bridge, listed and deleted', async () => {
    await rtnl.addLink({ kind: 'bridge', name: 'b0', bridge: { vlanFiltering: true } })
    await rtnl.setLink('v0', { master: 'b0' })
    const port = await indexOf('v0')
    expect(await rtnl.getBridgeVlans({ link: 'v0' })).toEqual([{ linkIndex: port, vid: 1, pvid: true, untagged: true }])
    expect(await rtnl.deleteBridgeVlan({ link: 'v0', vid: 1 })).toEqual({ deleted: true })
    expect(await rtnl.deleteBridgeVlan({ link: 'v0', vid: 1 })).toEqual({ deleted: false })
    const vlan = { link: 'v0', vid: 100, pvid: true, untagged: true }
    expect(await rtnl.addBridgeVlan(vlan)).toEqual({ added: true })
    expect(await rtnl.addBridgeVlan(vlan)).toEqual({ added: false })
    await expect(rtnl.addBridgeVlan({ link: 'v0', vid: 100 })).rejects.toMatchObject({ code: 'EEXIST' })
    expect(await rtnl.addBridgeVlan({ link: 'b0', vid: 200, lastVid: 203 })).toEqual({ added: true })
    expect((await rtnl.getBridgeVlans({ link: 'b0' })).map(({ vid }) => vid)).toEqual([1, 200, 201, 202, 203])
    const [read] = await rtnl.getBridgeVlans({ link: 'v0' })
    if (read === undefined) throw new Error('not there')
    await rtnl.deleteBridgeVlan(read)
    expect(await rtnl.addBridgeVlan(read)).toEqual({ added: true })
    expect(await run('bridge', 'vlan', 'show', 'dev', 'v0')).toMatch(/100 PVID Egress Untagged/)
  })
})

test.each([
  ['0', { link: 'v0', vid: 0 }, 'INVALID'],
  ['4095', { link: 'v0', vid: 4095 }, 'INVALID'],
  ['2 to 1', { link: 'v0', vid: 2, lastVid: 1 }, 'INVALID'],
  ['1 of a link that is no port', { link: 'v0', vid: 1 }, 'EOPNOTSUPP'],
])('VLAN %s is refused', async (_, vlan, code) => {
  await expect(rtnl.addBridgeVlan(vlan)).rejects.toMatchObject({ name: 'NetnsError', code })
})

test('a failing ADD rolls back neighbours, qdiscs and redirections, also deleted ones', async () => {
  await rtnl.addNeighbour({ link: 'v0', address: '10.9.0.7', mac: '02:00:00:00:00:07' })
  await rtnl.addQdisc({ kind: 'ingress', link: 'v0' })
  await rtnl.addRedirect({ link: 'v0', to: 'ifb0' })
  await rtnl.addQdisc({ kind: 'tbf', link: 'ifb0', handle: '1:', tbf: { bitsPerSecond: 8000, burstBytes: 2000 } })
  const state = async () => [
    await rtnl.getNeighbours({ family: 'ipv4' }),
    await rtnl.getQdiscs(),
    await rtnl.getRedirects(),
  ]
  const before = await state()
  const c = failingCall(pod)
  {
    using call = await openRtnl(c)
    await call.replaceNeighbour({ link: 'v0', address: '10.9.0.7', mac: '02:00:00:00:00:08' })
    await call.addNeighbour({ link: 'v0', address: '10.9.0.9', mac: '02:00:00:00:00:09' })
    await call.deleteNeighbour({ link: 'v0', address: '10.9.0.7' })
    await call.deleteQdisc({ kind: 'ingress', link: 'v0' })
    await call.addQdisc({ kind: 'clsact', link: 'v0' })
    await call.addRedirect({ link: 'v0', to: 'v1' })
    await call.replaceQdisc({
      kind: 'tbf',
      link: 'ifb0',
      handle: '1:',
      tbf: { bitsPerSecond: 80_000, burstBytes: 3000 },
    })
    await call.deleteQdisc({ link: 'ifb0' })
  }
  expect(await state()).not.toEqual(before)
  await c.unwind()
  expect(await state()).toEqual(before)
})
