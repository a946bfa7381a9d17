import { readdirSync, statSync } from 'node:fs'
import { netns, readFile, sysctl } from '@cni/netns'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { connectFrom, startApp } from '../../istio-redirect/src/testing/node/stand-ins.ts'
import { startTransparentZtunnel } from '../../istio-redirect/src/testing/node/ztunnel/transparent-ztunnel.ts'
import { lackingKinds } from '../../netns/test/rtnl/link-kinds.ts'
import { iptablesSide } from '../src/iptables/iptables-side.ts'
import type { KernelSide, NodeZtunnel } from '../src/kernel-side.ts'
import type { TunnelKind } from '../src/names.ts'
import { everything } from './everything.ts'
import { tunnelKind } from './kinds.ts'
import { addresses, type PtpNode, ptpNode } from './ptp-node.ts'

let stack: AsyncDisposableStack
let node: PtpNode
let kind: TunnelKind
beforeEach(async () => {
  stack = new AsyncDisposableStack()
  node = stack.use(await ptpNode())
  kind = await tunnelKind()
})
afterEach(() => stack.disposeAsync())

const newSide = (tunnel = kind): KernelSide => iptablesSide({ netns: node.at.node, hostIp: addresses.node, tunnel })

/** Creates another ztunnel on the node. */
async function nextZtunnel(ip = '10.60.0.6'): Promise<NodeZtunnel> {
  return { ...node.ztunnel, uid: 'zt-2', name: 'istio-system/ztunnel-2', ip, netns: await node.pod('zt2', ip) }
}

const pod = { uid: 'app', addresses: [addresses.app] }
const routeOfPod = `${addresses.app} via 192.168.126.2 dev istioin src ${addresses.node}`

test('a second start() changes nothing, and stop() leaves nothing on the node and in ztunnel', async () => {
  const rpFilter = () => readFile(node.at.node, '/proc/sys/net/ipv4/conf/all/rp_filter')
  await sysctl(node.at.node).set('net/ipv4/conf/all/rp_filter', 2)
  const before = [await everything(node.at.node), await everything(node.at.zt)]
  const side = newSide()
  const first = await side.start(node.ztunnel)
  expect(first.changed).toContain('missing set ztunnel-pods-ips')
  expect(await rpFilter()).toBe('0\n')
  await side.addPod(pod)
  expect(await side.start(node.ztunnel)).toEqual({ changed: [], warnings: [] })
  expect(await side.addPod(pod)).toMatchObject({ changed: [], warnings: [] })
  expect(await side.drift()).toEqual([])
  expect(await side.heal()).toEqual({ changed: [], warnings: [] })
  await side.stop()
  expect(await rpFilter()).toBe('2\n')
  expect([await everything(node.at.node), await everything(node.at.zt)]).toEqual(before)
  expect((await node.rtnl.getLinks()).filter(({ kind }) => kind === 'geneve' || kind === 'vxlan')).toEqual([])
  await side.stop()
})

test('disposal closes all handles and leaves the kernel unchanged, and stop() restores the given settings', async () => {
  const open = (): string[] =>
    readdirSync('/proc/self/fd').flatMap((fd) => {
      const path = statSync(`/proc/self/fd/${fd}`, { throwIfNoEntry: false, bigint: true })
      return path?.ino === node.at.zt.ino ? [fd] : []
    })
  const before = open()
  const side = newSide()
  await side.start(node.ztunnel)
  expect(open().length).toBe(before.length + 1)
  const there = await everything(node.at.node)
  side[Symbol.dispose]()
  expect(open()).toEqual(before)
  expect(await everything(node.at.node)).toBe(there)
  const settings = new Map([['net/ipv4/conf/all/rp_filter', '2']])
  await iptablesSide({ netns: node.at.node, hostIp: addresses.node, tunnel: kind, settings }).stop()
  expect(await sysctl(node.at.node).get('net/ipv4/conf/all/rp_filter')).toBe('2')
})

test('pods are captured by entries with their UID and by routes, and retainPods() reports stale addresses', async () => {
  const side = newSide()
  expect(await side.listPods()).toEqual([])
  await expect(side.addPod(pod)).rejects.toMatchObject({ code: 'NO_ZTUNNEL' })
  await side.start(node.ztunnel)
  await side.addPod({ uid: 'app', addresses: [addresses.app, 'fd00::3'] })
  await side.addPod({ uid: 'srv', addresses: [addresses.srv] })
  expect(await side.listPods()).toEqual(
    expect.arrayContaining([
      { address: addresses.app, uid: 'app' },
      { address: addresses.srv, uid: 'srv' },
    ]),
  )
  expect(await node.ip('route', 'show', 'table', '100')).toContain(routeOfPod)
  expect(await readFile(node.at.node, '/proc/sys/net/ipv4/conf/vapp/rp_filter')).toBe('0\n')

  // Its address belongs to another pod now, before its removal.
  expect((await side.addPod({ uid: 'new', addresses: [addresses.srv] })).changed).toContain(
    `${addresses.srv} of pod new was that of pod srv`,
  )
  expect(await side.removePod('srv')).toEqual([])
  expect(await side.retainPods(new Set(['new']))).toEqual([addresses.app])
  expect(await side.listPods()).toEqual([{ address: addresses.srv, uid: 'new' }])
  expect(await node.ip('route', 'show', 'table', '100')).not.toContain(addresses.app)
  // The pod has another address now.
  expect((await side.addPod({ uid: 'new', addresses: [addresses.other] })).changed).toContain(
    `${addresses.srv} no more of new`,
  )
  expect(await side.removePod('new')).toEqual([addresses.other])
  expect(await side.drift()).toEqual([])
})

test.each<[string, string, RegExp]>([
  ['of ztunnel', addresses.zt, /is ztunnel's/],
  ['of the node', addresses.node, /is the node's/],
  ['without a route', '10.60.0.99', /no host route to pod app/],
])('addPod() rejects an address %s and changes nothing', async (_, address, message) => {
  const side = newSide()
  await side.start(node.ztunnel)
  await expect(side.addPod({ uid: 'app', addresses: [addresses.app, address] })).rejects.toThrow(message)
  expect(await side.listPods()).toEqual([])
  expect(await side.drift()).toEqual([])
})

describe('on a bridge', () => {
  beforeEach(async () => {
    await node.rtnl.addLink({ kind: 'bridge', name: 'cni0', up: true })
    await node.rtnl.addAddress('cni0', '10.70.0.1/24')
  })

  test('start() rejects ztunnel with the name of the bridge, and changes nothing', async () => {
    const before = await everything(node.at.node)
    await expect(newSide().start({ ...node.ztunnel, ip: '10.70.0.9' })).rejects.toMatchObject({
      code: 'BRIDGE',
      message: expect.stringContaining('ztunnel istio-system/ztunnel-1 (10.70.0.9) is behind the bridge cni0'),
    })
    expect(await everything(node.at.node)).toBe(before)
  })

  test('addPod() rejects a pod', async () => {
    const side = newSide()
    await side.start(node.ztunnel)
    await expect(side.addPod({ uid: 'app', addresses: ['10.70.0.9'] })).rejects.toMatchObject({ code: 'BRIDGE' })
  })
})

describe('another ztunnel', () => {
  test('replaces the first one in one step: pods stay captured, no connection bypasses ztunnel, and the first one keeps no rules', async () => {
    stack.use(await startApp(node.at.srv, { name: 'srv', ports: [8080] }))
    await using one = startTransparentZtunnel(node.at.zt)
    const before = await everything(node.at.zt)
    const side = newSide()
    await side.start(node.ztunnel)
    await side.addPod(pod)
    const next = await nextZtunnel()
    await using two = startTransparentZtunnel(next.netns)
    const destinations = Array.from({ length: 200 }, () => ({ host: addresses.srv, port: 8080 }))
    const running = connectFrom(node.at.app, 0, destinations)
    await expect.poll(() => one.forwarded.length, { timeout: 20_000, interval: 5 }).toBeGreaterThan(10)
    const { changed, warnings } = await side.start(next)
    expect(warnings).toEqual([])
    expect(changed).toContain(`tunnel istioin has the remote address ${addresses.zt}, not ${next.ip}`)
    expect(changed.filter((each) => each.includes(addresses.app))).toEqual([])
    const answered = (await running).filter(({ answer }) => answer?.served_by === 'srv').length
    // A connection that was answered passed through one of them.
    expect(one.forwarded.length + two.forwarded.length).toBeGreaterThanOrEqual(answered)
    expect(two.forwarded.length).toBeGreaterThan(0)
    expect(answered).toBeGreaterThan(180)
    expect(await side.drift()).toEqual([])
    expect(await everything(node.at.zt)).toBe(before)
  })

  test('leaves the first one in place if it cannot start', async () => {
    const side = newSide()
    await side.start(node.ztunnel)
    await side.addPod(pod)
    const before = await everything(node.at.node)
    const next = await nextZtunnel()
    await netns.exec(next.netns, ['ip', 'link', 'add', 'pistioout', 'type', 'bridge'])
    const withRoute = await everything(node.at.node)
    await expect(side.start(next)).rejects.toMatchObject({ code: 'FOREIGN' })
    expect(await everything(node.at.node)).toBe(withRoute)
    expect(withRoute.length).toBeGreaterThan(before.length)
    expect(await side.drift()).toEqual([])
  })

  test('leaves the tunnels of the first one if it cannot start with other tunnels', async () => {
    const side = newSide('vxlan')
    await side.start(node.ztunnel)
    await side.addPod(pod)
    const next = await nextZtunnel()
    await netns.exec(next.netns, ['ip', 'link', 'add', 'pistioout', 'type', 'bridge'])
    const before = await everything(node.at.node)
    // A kernel without geneve reports NO_TUNNEL, any other kernel the foreign link in ztunnel's namespace.
    await expect(newSide('geneve').start(next)).rejects.toMatchObject({
      code: expect.stringMatching(/^(NO_TUNNEL|FOREIGN)$/),
    })
    expect(await everything(node.at.node)).toBe(before)
    expect(await side.drift()).toEqual([])
  })

  test('may have the address of the first one, or of a pod that has ended', async () => {
    const side = newSide()
    await side.start(node.ztunnel)
    await side.addPod({ uid: 'gone', addresses: [addresses.other] })
    await node.rtnl.deleteLink('vother')
    const next = await nextZtunnel(addresses.other)
    expect((await side.start(next)).changed[0]).toBe(
      `${addresses.other} was in the mesh as that of pod gone, and is ztunnel istio-system/ztunnel-2's now`,
    )
    expect(await side.drift()).toEqual([])
    await node.rtnl.deleteLink('vzt2')
    // ztunnel has died. The rules that keep pods from bypassing it are still healed.
    expect(await side.drift()).toEqual([])
    await netns.exec(node.at.node, ['iptables', '-t', 'mangle', '-F', 'ztunnel-PREROUTING'])
    expect(await side.drift()).toHaveLength(15)
    expect((await side.heal()).changed).toHaveLength(15)
    expect(await side.drift()).toEqual([])
    const third = { ...next, uid: 'zt-3', netns: await node.pod('zt3', addresses.other) }
    await side.start(third)
    expect(await side.drift()).toEqual([])
  })
})

test('an agent that starts again finds everything, with the pods', async () => {
  const first = newSide()
  await first.start(node.ztunnel)
  await first.addPod(pod)
  const again = newSide()
  expect(await again.start(node.ztunnel)).toEqual({ changed: [], warnings: [] })
  expect(await again.listPods()).toEqual([{ address: addresses.app, uid: 'app' }])
  expect(await again.drift()).toEqual([])
})

test('tunnels get another port if their port is taken, and pods do not bypass ztunnel meanwhile', async () => {
  stack.use(await startApp(node.at.srv, { name: 'srv', ports: [8080] }))
  await using ztunnel = startTransparentZtunnel(node.at.zt)
  const first = newSide()
  await first.start(node.ztunnel)
  await first.addPod(pod)
  const taken = ['taken', 'type', kind, 'id', '1000', 'remote', addresses.zt, 'dstport', '6081']
  await node.ip('link', 'del', 'istioin')
  await node.ip('link', 'add', ...taken)
  const running = connectFrom(
    node.at.app,
    0,
    Array.from({ length: 100 }, () => ({ host: addresses.srv, port: 8080 })),
  )
  await expect.poll(() => ztunnel.forwarded.length, { timeout: 20_000, interval: 5 }).toBeGreaterThan(10)
  const again = newSide()
  const { changed } = await again.start(node.ztunnel)
  expect(changed).toContain('tunnel istioout has the port 6081, not 6082')
  const answered = (await running).filter(({ answer }) => answer?.served_by === 'srv').length
  expect(ztunnel.forwarded.length).toBeGreaterThanOrEqual(answered)
  expect(answered).toBeGreaterThan(20)
  expect(await node.ip('route', 'show', 'table', '100')).toContain(routeOfPod)
  expect(await node.ip('route', 'show', 'table', 'all')).not.toContain('blackhole')
  expect(await again.drift()).toEqual([])
})

test('a kernel without this kind of tunnel causes an error that says what to do, and nothing is left', async () => {
  const lacking = await lackingKinds()
  const before = await everything(node.at.node)
  for (const tunnel of ['geneve', 'vxlan'] as const) {
    const side = newSide(tunnel)
    const started = await side.start(node.ztunnel).then(
      () => 'started',
      (error: unknown) => String(error),
    )
    if (lacking.has(tunnel))
      expect(started).toContain(`The kernel of this node has no ${tunnel} tunnels: load its module`)
    else expect(started).toBe('started')
    await side.stop()
    expect(await everything(node.at.node)).toBe(before)
  }
})
