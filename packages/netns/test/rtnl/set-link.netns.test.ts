import { type Netns, netns, openRtnl, type Rtnl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { LinkChange } from '../../src/rtnl/port/arguments.ts'
import { settledLinks } from '../settled.ts'

let pod: Netns & AsyncDisposable
let rtnl: Rtnl
beforeEach(async () => {
  pod = await tempNetns()
  rtnl = await openRtnl(pod)
  await rtnl.addLink({ name: 'b0', kind: 'bridge' })
  await rtnl.addLink({ name: 'v0', kind: 'veth', peer: { name: 'v1' } })
})
afterEach(async () => {
  rtnl.close()
  await pod[Symbol.asyncDispose]()
})
const ip = async (...args: string[]): Promise<string> => (await netns.exec(pod, ['ip', ...args])).stdout

describe('a change', () => {
  test('changes all members, visible to iproute2', async () => {
    const change: LinkChange = {
      name: 'eth0',
      mtu: 1400,
      mac: '02:00:00:AB:00:01',
      txqlen: 77,
      master: 'b0',
      alias: 'for pod-1',
      promisc: true,
      allmulti: true,
      up: true,
      bridgePort: { hairpin: true, isolated: true, learning: false },
    }
    const { changed, before } = await rtnl.setLink('v0', change)
    expect([changed, before.name, before.up]).toEqual([true, 'v0', false])
    const text = await ip('-details', 'link', 'show', 'eth0')
    for (const part of [
      /mtu 1400/,
      /qlen 77/,
      /master b0/,
      /PROMISC,ALLMULTI|ALLMULTI,PROMISC|BROADCAST.*PROMISC.*UP/,
      /link\/ether 02:00:00:ab:00:01/,
      /alias for pod-1/,
      /hairpin on/,
      /isolated on/,
      /learning off/,
    ]) {
      expect(text).toMatch(part)
    }
    expect(await rtnl.getLink('eth0')).toMatchObject({
      name: 'eth0',
      mtu: 1400,
      mac: '02:00:00:ab:00:01',
      txqlen: 77,
      master: (await rtnl.getLink('b0'))?.index,
      alias: 'for pod-1',
      promisc: true,
      allmulti: true,
      up: true,
      bridgePort: { hairpin: true, isolated: true, learning: false, flood: true },
    })
    // The link already has all these values.
    expect(await rtnl.setLink('eth0', change)).toMatchObject({ changed: false })
    expect(await rtnl.setLink('eth0', { master: null, up: false, promisc: false, alias: '' })).toMatchObject({
      changed: true,
    })
    expect(await rtnl.getLink('eth0')).not.toHaveProperty('master')
    expect(await rtnl.getLink('eth0')).not.toHaveProperty('alias')
  })

  test('finds the link by name, by index, or as read', async () => {
    const link = await rtnl.getLink('v0')
    if (link === undefined) throw new Error('no v0')
    await rtnl.setLink(link.index, { mtu: 1300 })
    await rtnl.setLink(link, { name: 'v7' })
    expect(await rtnl.getLink(link)).toMatchObject({ name: 'v7', mtu: 1300, index: link.index })
    expect(await rtnl.deleteLink(link)).toEqual({ deleted: true })
    expect(await rtnl.deleteLink(link)).toEqual({ deleted: false })
  })

  test('changes the options of a bridge', async () => {
    const bridge = { ageingSeconds: 12.5, stp: true, priority: 7, multicastSnooping: false, groupForwardMask: 8 }
    expect(await rtnl.setLink('b0', { bridge })).toMatchObject({ changed: true })
    expect(await rtnl.setLink('b0', { bridge })).toMatchObject({ changed: false })
    expect(await rtnl.getLink('b0')).toMatchObject({ bridge })
    expect(await ip('-details', 'link', 'show', 'b0')).toMatch(/ageing_time 1250 stp_state 1 priority 7/)
  })

  test('to the current namespace changes nothing', async () => {
    expect(await rtnl.setLink('v0', { netns: pod })).toMatchObject({ changed: false })
    using again = netns.open(pod.path)
    expect(await rtnl.setLink('v0', { netns: again })).toMatchObject({ changed: false })
  })

  test('to another namespace may set the link up and rename it', async () => {
    await using other = await tempNetns()
    using there = await openRtnl(other)
    await rtnl.setLink('v1', { netns: other, name: 'eth0', up: true, mac: '02:00:00:00:00:07' })
    expect(await there.getLink('eth0')).toMatchObject({ up: true, mac: '02:00:00:00:00:07', kind: 'veth' })
    await there.setLink('eth0', { netns: pod, name: 'v1' })
    expect(await rtnl.getLink('v1')).toMatchObject({ up: false })
  })
})

describe('a change that the kernel refuses', () => {
  const refusals: Array<[string, LinkChange, { code: string; message?: RegExp }]> = [
    ['an MTU the link cannot have', { name: 'eth0', txqlen: 7, mtu: 70_000 }, { code: 'EINVAL', message: /mtu/ }],
    ['a multicast MAC', { txqlen: 7, mac: '01:00:00:00:00:01' }, { code: 'EADDRNOTAVAIL' }],
    ['a name in use', { mtu: 1400, name: 'b0' }, { code: 'EEXIST' }],
    [
      'port options without a bridge',
      { mtu: 1400, up: true, bridgePort: { hairpin: true } },
      { code: 'EOPNOTSUPP', message: /not a port of a bridge/ },
    ],
    ['a master that is no bridge', { mtu: 1400, txqlen: 7, master: 'lo' }, { code: 'EOPNOTSUPP' }],
    ['a missing master', { mtu: 1400, master: 'b7' }, { code: 'ENODEV', message: /"b7"/ }],
    ['options of a bridge', { mtu: 1400, bridge: { stp: true } }, { code: 'EOPNOTSUPP', message: /not a bridge/ }],
    ['a name that is too long', { mtu: 1400, name: 'sixteen-bytes-xx' }, { code: 'INVALID', message: /15 bytes/ }],
    ['a name with a slash', { mtu: 1400, name: 'a/b' }, { code: 'INVALID', message: /"a\/b"/ }],
    ['an invalid MAC', { mtu: 1400, mac: '02:00:00:00:00' }, { code: 'INVALID', message: /"02:00:00:00:00"/ }],
    ['a negative MTU', { up: true, mtu: -1 }, { code: 'INVALID', message: /-1/ }],
    ['an MTU with a fraction', { up: true, mtu: 1500.5 }, { code: 'INVALID', message: /1500.5/ }],
    [
      'an invalid port priority',
      { mtu: 1400, master: 'b0', bridgePort: { priority: 99 } },
      { code: 'INVALID', message: /99/ },
    ],
  ]
  test.each(refusals)('for %s leaves the link unchanged', async (_, change, { code, message = /./ }) => {
    const before = settledLinks(await rtnl.getLinks())
    await expect(rtnl.setLink('v0', change)).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
    expect(settledLinks(await rtnl.getLinks())).toEqual(before)
  })

  test('moves the link back if it fails in the other namespace', async () => {
    await using other = await tempNetns()
    using there = await openRtnl(other)
    await there.addLink({ name: 'b9', kind: 'bridge' })
    const before = await rtnl.getLink('v0')
    for (const change of [
      { netns: other, mtu: 70_000 },
      { netns: other, name: 'eth0', up: true, mac: '01:00:00:00:00:01' },
      { netns: other, name: 'b9' },
    ]) {
      await expect(rtnl.setLink('v0', change)).rejects.toMatchObject({ name: 'NetnsError' })
      expect((await there.getLinks()).map(({ name }) => name)).toEqual(['lo', 'b9'])
      expect(await rtnl.getLink('v0')).toEqual(before)
    }
  })

  test('for a missing link names it', async () => {
    await expect(rtnl.setLink('eth7', { mtu: 1400 })).rejects.toMatchObject({
      code: 'ENODEV',
      message: 'Set link "eth7": ENODEV, there is no link "eth7"',
    })
  })
})
