import { type Netns, netns, openRtnl, type Rtnl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { NODE } from '../../../../test/node.ts'

let pod: Netns & AsyncDisposable
let rtnl: Rtnl
beforeEach(async () => {
  pod = await tempNetns()
  rtnl = await openRtnl(pod)
})
afterEach(async () => {
  rtnl.close()
  await pod[Symbol.asyncDispose]()
})

/** Output of iproute2. */
const ip = async (...args: string[]): Promise<string> => (await netns.exec(pod, ['ip', ...args])).stdout
const addVeth = async () => {
  await rtnl.addLink({ name: 'v0', kind: 'veth', peer: { name: 'v1' } })
  await rtnl.setLinkUp('v0')
  await rtnl.setLinkUp('v1')
}

test('the socket stays in the namespace in which it was opened', async () => {
  using host = await openRtnl('host')
  await rtnl.addLink({ name: 'only-here', kind: 'bridge' })
  expect(await rtnl.getLink('only-here')).toMatchObject({ kind: 'bridge', up: false })
  expect(await host.getLink('only-here')).toBeUndefined()
})

test('a closed socket throws CLOSED', async () => {
  rtnl.close()
  await expect(rtnl.getLinks()).rejects.toMatchObject({ code: 'CLOSED' })
})

describe('links', () => {
  test('are listed with the values of iproute2', async () => {
    await addVeth()
    const expected: Array<{ ifindex: number; ifname: string; mtu: number; address: string; flags: string[] }> =
      JSON.parse(await ip('-json', 'link'))
    expect((await rtnl.getLinks()).map(({ index, name, mtu, mac, up }) => ({ index, name, mtu, mac, up }))).toEqual(
      expected.map((link) => ({
        index: link.ifindex,
        name: link.ifname,
        mtu: link.mtu,
        mac: link.address,
        up: link.flags.includes('UP'),
      })),
    )
  })

  test('can be set up and down; a missing link is ENODEV, and the message names it', async () => {
    await rtnl.setLinkDown('lo')
    expect(await rtnl.getLink('lo')).toMatchObject({ up: false, loopback: true })
    await rtnl.setLinkUp('lo')
    expect(await rtnl.getLink('lo')).toMatchObject({ up: true })
    await expect(rtnl.setLinkUp('eth7')).rejects.toMatchObject({
      name: 'NetnsError',
      code: 'ENODEV',
      message: expect.stringContaining('"eth7"'),
    })
  })

  test('a veth connects two namespaces', async () => {
    await using other = await tempNetns()
    await rtnl.addLink({ name: 'v0', kind: 'veth', mtu: 1400, peer: { name: 'eth0', netns: other } })
    using there = await openRtnl(other)
    expect(await there.getLink('eth0')).toMatchObject({ kind: 'veth' })
    expect(await rtnl.getLink('v0')).toMatchObject({ kind: 'veth', mtu: 1400 })
    expect(await rtnl.getLink('eth0')).toBeUndefined()
    for (const [side, link, cidr] of [
      [rtnl, 'v0', '10.9.0.1/24'],
      [there, 'eth0', '10.9.0.2/24'],
    ] as const) {
      await side.addAddress(link, cidr)
      await side.setLinkUp(link)
    }
    const connect = netns.exec(pod, ['bash', '-c', 'echo > /dev/tcp/10.9.0.2/1'], {
      env: { ...process.env, LC_ALL: 'C' },
      timeout: 10_000,
    })
    // The other end refuses the connection, so packets travel in both directions.
    await expect(connect).rejects.toMatchObject({ stderr: expect.stringContaining('refused') })
  })

  test('adding an existing link and deleting a missing one report that nothing changed', async () => {
    expect(await rtnl.addLink({ name: 'b0', kind: 'bridge' })).toEqual({ added: true })
    expect(await rtnl.addLink({ name: 'b0', kind: 'bridge' })).toEqual({ added: false })
    await expect(rtnl.addLink({ name: 'b0', kind: 'veth', peer: { name: 'b1' } })).rejects.toMatchObject({
      code: 'EEXIST',
    })
    expect(await rtnl.deleteLink('b0')).toEqual({ deleted: true })
    expect(await rtnl.deleteLink('b0')).toEqual({ deleted: false })
  })

  test('are all listed if they need several datagrams', async () => {
    const batch = Array.from({ length: 75 }, (_, i) => `link add a${i} type veth peer name b${i}\n`).join('')
    await netns.exec(pod, ['ip', '-batch', '-'], { input: batch })
    expect((await rtnl.getLinks()).filter(({ kind }) => kind === 'veth')).toHaveLength(150)
  })
})

describe('addresses', () => {
  test('are added once for both families, listed and deleted', async () => {
    await addVeth()
    for (const cidr of ['10.1.0.1/24', 'fd00:0::1/64']) {
      expect(await rtnl.addAddress('v0', cidr)).toEqual({ added: true })
      expect(await rtnl.addAddress('v0', cidr)).toEqual({ added: false })
    }
    expect(await ip('-brief', 'addr', 'show', 'v0')).toMatch(/10\.1\.0\.1\/24 fd00::1\/64/)
    const cidrs = (await rtnl.getAddresses({ link: 'v0' })).map(({ cidr }) => cidr)
    expect(cidrs).toEqual(expect.arrayContaining(['10.1.0.1/24', 'fd00::1/64']))
    for (const cidr of ['10.1.0.1/24', 'fd00::1/64']) {
      expect(await rtnl.deleteAddress('v0', cidr)).toEqual({ deleted: true })
      expect(await rtnl.deleteAddress('v0', cidr)).toEqual({ deleted: false })
    }
    expect(await rtnl.getAddresses({ link: 'v0', family: 'ipv4' })).toEqual([])
  })

  test('an existing IPv6 address with another prefix length is refused', async () => {
    await addVeth()
    await rtnl.addAddress('v0', 'fd00::1/64')
    await expect(rtnl.addAddress('v0', 'fd00::1/96')).rejects.toMatchObject({ code: 'EEXIST' })
  })

  test('loopback addresses have host scope', async () => {
    await rtnl.addAddress('lo', '127.9.9.9/32')
    expect(await ip('addr', 'show', 'lo')).toContain('inet 127.9.9.9/32 scope host lo')
  })
})

describe('routes', () => {
  test('for TPROXY are idempotent and visible to iproute2', async () => {
    for (const family of ['ipv4', 'ipv6'] as const) {
      const rule = { family, fwmark: 1337, table: 133 }
      const route = { destination: 'default', family, type: 'local', link: 'lo', table: 133 } as const
      expect([await rtnl.addRule(rule), await rtnl.addRoute(route)]).toEqual([{ added: true }, { added: true }])
      expect([await rtnl.addRule(rule), await rtnl.addRoute(route)]).toEqual([{ added: false }, { added: false }])
    }
    expect(await ip('rule')).toContain('from all fwmark 0x539 lookup 133')
    expect(await ip('route', 'show', 'table', '133')).toBe('local default dev lo scope host \n')
    expect(await ip('-6', 'route', 'show', 'table', '133')).toContain('local default dev lo')
    expect(await rtnl.getRoutes({ table: 133, family: 'ipv4' })).toEqual([
      expect.objectContaining({ destination: 'default', type: 'local', scope: 'host', table: 133, protocol: 3 }),
    ])
  })

  test('added by iproute2 count as existing, and can be deleted', async () => {
    await ip('rule', 'add', 'fwmark', '1337', 'table', '133')
    await ip('route', 'add', 'local', 'default', 'dev', 'lo', 'table', '133')
    expect(await rtnl.addRule({ family: 'ipv4', fwmark: 1337, table: 133 })).toEqual({ added: false })
    const route = { destination: 'default', family: 'ipv4', type: 'local', link: 'lo', table: 133 } as const
    expect(await rtnl.addRoute(route)).toEqual({ added: false })
    expect(await rtnl.deleteRoute(route)).toEqual({ deleted: true })
    expect(await rtnl.deleteRoute(route)).toEqual({ deleted: false })
    expect(await ip('route', 'show', 'table', 'all')).not.toContain('133')
  })

  test.each(['ipv4', 'ipv6'] as const)('count as deleted if the table never had a route (%s)', async (family) => {
    await rtnl.addRule({ family, fwmark: 1337, table: 133 })
    const route = { destination: 'default', family, type: 'local', link: 'lo', table: 133 } as const
    expect(await rtnl.deleteRoute(route)).toEqual({ deleted: false })
  })

  test('may have a gateway, a source and a metric', async () => {
    await addVeth()
    await rtnl.addAddress('v0', '10.1.0.1/24')
    await rtnl.addRoute({ destination: 'default', gateway: '10.1.0.254', source: '10.1.0.1', metric: 50 })
    expect(await ip('route')).toContain('default via 10.1.0.254 dev v0 src 10.1.0.1 metric 50')
    expect(await rtnl.getRoutes({ table: 254, family: 'ipv4' })).toContainEqual(
      expect.objectContaining({ destination: 'default', gateway: '10.1.0.254', source: '10.1.0.1', metric: 50 }),
    )
  })

  test('a route that exists with another gateway is EEXIST', async () => {
    await addVeth()
    await rtnl.addAddress('v0', '10.1.0.1/24')
    await rtnl.addRoute({ destination: '10.2.0.0/16', gateway: '10.1.0.254' })
    await expect(rtnl.addRoute({ destination: '10.2.0.0/16', gateway: '10.1.0.253' })).rejects.toMatchObject({
      code: 'EEXIST',
    })
    // The destination is sufficient to delete a route.
    expect(await rtnl.deleteRoute({ destination: '10.2.0.0/16' })).toEqual({ deleted: true })
  })

  test("errors contain the kernel's explanation", async () => {
    await expect(rtnl.addRoute({ destination: '10.9.0.0/16', gateway: '192.0.2.1' })).rejects.toMatchObject({
      code: 'ENETUNREACH',
      message: 'Add route "10.9.0.0/16": ENETUNREACH, Nexthop has invalid gateway',
    })
    await expect(rtnl.addRoute({ destination: '10.9.0.0/16', link: 'nope' })).rejects.toMatchObject({ code: 'ENODEV' })
  })
})

describe('rules', () => {
  test("are the kernel's three for IPv4 and two for IPv6 in a new namespace", async () => {
    expect((await rtnl.getRules('ipv4')).map(({ table }) => table)).toEqual([255, 254, 253])
    expect((await rtnl.getRules()).map(({ family }) => family)).toEqual(['ipv4', 'ipv4', 'ipv4', 'ipv6', 'ipv6'])
  })

  test('a deletion leaves rules with further selectors', async () => {
    await ip('rule', 'add', 'fwmark', '0x1/0xff', 'from', '10.0.0.0/8', 'iif', 'lo', 'table', '7', 'pref', '100')
    await ip('rule', 'add', 'fwmark', '1', 'table', '7', 'uidrange', '5-5', 'pref', '101')
    await ip('rule', 'add', 'not', 'fwmark', '1', 'table', '7', 'pref', '102')
    expect(await rtnl.deleteRule({ family: 'ipv4', table: 7 })).toEqual({ deleted: false })
    expect(await rtnl.deleteRule({ family: 'ipv4', fwmark: 1, table: 7 })).toEqual({ deleted: false })
    const [rule] = (await rtnl.getRules('ipv4')).filter(({ priority }) => priority === 100)
    expect(rule).toEqual({
      family: 'ipv4',
      fwmark: 1,
      mask: 255,
      from: '10.0.0.0/8',
      iif: 'lo',
      table: 7,
      priority: 100,
      invert: false,
    })
    expect(await rtnl.deleteRule({ ...rule, family: 'ipv4', table: 7 })).toEqual({ deleted: true })
    expect(await rtnl.deleteRule({ family: 'ipv4', fwmark: 1, table: 7, invert: true })).toEqual({ deleted: true })
    expect(await ip('rule')).toMatch(/^101:.*uidrange 5-5/m)
  })

  test('a 32-bit table and a priority are kept', async () => {
    const rule = { family: 'ipv6', table: 100_000, priority: 99, to: 'fd00::1:2:3/64', fwmark: 0xf0000000 } as const
    await rtnl.addRule(rule)
    expect(await ip('-6', 'rule')).toContain('99:\tfrom all to fd00::/64 fwmark 0xf0000000 lookup 100000')
    expect(await rtnl.addRule(rule)).toEqual({ added: false })
    expect(await rtnl.deleteRule(rule)).toEqual({ deleted: true })
  })
})

test('DEBUG=cni:rtnl writes every request with duration and refusal to stderr', async () => {
  const code = `
    import { openRtnl } from '@cni/netns'
    using rtnl = await openRtnl('host')
    await rtnl.getLink('lo')
    await rtnl.setLinkUp('eth\\u009b7').catch(() => {})`
  const cwd = new URL('..', import.meta.url).pathname
  const argv = [...NODE, '--input-type=module', '--eval', code] as const
  const env = { ...process.env, DEBUG: 'cni:rtnl' }
  const { stderr } = await netns.exec(pod, argv, { cwd, env })
  expect(stderr).toMatch(/cni:rtnl Find link "lo" replies=1 ms=[\d.]+/)
  expect(stderr).toMatch(/cni:rtnl Set link "eth\\u009b7" up refused="ENODEV" error=/)
})

test('an unprivileged user gets EPERM with the needed capability', async () => {
  const code = `
    import { openRtnl } from '@cni/netns'
    using rtnl = await openRtnl('host')
    process.setuid(65534)
    await rtnl.setLinkUp('lo').catch((error) => process.stdout.write(error.message))`
  const cwd = new URL('..', import.meta.url).pathname
  const argv = [...NODE, '--input-type=module', '--eval', code] as const
  const { stdout } = await netns.exec(pod, argv, { cwd })
  expect(stdout).toBe('Set link "lo" up: EPERM (needs root: CAP_NET_ADMIN)')
})
