import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { attachFilter, ebpf, hashMap, int, ipv4 } from '@cni/ebpf'
import { run } from '@cni/host'
import { type Netns, netns, openRtnl, sysctl } from '@cni/netns'
import { loadSys } from '@cni/netns/sys'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { connectFrom, startApp } from '../../../istio-redirect/src/testing/node/stand-ins.ts'
import { startTransparentZtunnel } from '../../../istio-redirect/src/testing/node/ztunnel/transparent-ztunnel.ts'
import { openEbpfSide } from '../../src/ebpf/open-ebpf-side.ts'
import { nodeSettings } from '../../src/network/node-settings.ts'
import { addresses, type PtpNode } from '../ptp-node.ts'
import { type EbpfNode, ebpfNode } from './ebpf-node.ts'

/** Flag of `mount(2)`. */
const MS_BIND = 4096

let on: EbpfNode
let stack: AsyncDisposableStack
let node: PtpNode
let pins: string
let newSide: EbpfNode['newSide']
let podOf: EbpfNode['podOf']
beforeEach(async () => {
  on = await ebpfNode()
  ;({ stack, node, pins, newSide, podOf } = on)
})
afterEach(() => on[Symbol.asyncDispose]())

/** Folder that is not on a bpf file system. */
const plain = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'cni-no-bpffs-'))
  stack.defer(() => rmSync(path, { recursive: true }))
  return path
}

/** All filters, rules and routes of a namespace, and the settings that node-level redirection changes. */
async function everything(target: Netns): Promise<string> {
  using rtnl = await openRtnl(target)
  const links = await rtnl.getLinks()
  const filters = await Promise.all(links.map(({ index }) => rtnl.getFilters({ link: index })))
  const qdiscs = (await rtnl.getQdiscs()).map(({ kind, linkIndex }) => `${kind} ${linkIndex}`)
  const run = async (...args: [string, ...string[]]): Promise<string> => (await netns.exec(target, args)).stdout
  return [
    JSON.stringify(filters.flat()),
    qdiscs.join(),
    await Promise.all(['all', 'default'].map((each) => sysctl(target).get(`net/ipv4/conf/${each}/rp_filter`))),
    await run('ip', '-4', 'rule'),
    await run('ip', '-4', 'route', 'show', 'table', 'all'),
    (await run('iptables-save', '-t', 'mangle')).replaceAll(/^#.*\n|^:[A-Z].*\n|\[\d+:\d+\]|^\*.*\n|^COMMIT\n/gm, ''),
  ].join('\n')
}

const returning = (value: number): Uint8Array => {
  const bytes = Buffer.from('b7000000000000009500000000000000', 'hex')
  bytes.writeInt32LE(value, 4)
  return bytes
}

test.each(['tproxy', 'mark'] as const)(
  'start() (%s) changes nothing the second time, and stop() removes everything',
  async (variant) => {
    for (const each of ['all', 'default']) {
      await sysctl(node.at.node).set(`net/ipv4/conf/${each}/rp_filter`, '2')
      // Settings of ztunnel's namespace are not restored, because they disappear with the namespace.
      await sysctl(node.at.zt).set(`net/ipv4/conf/${each}/rp_filter`, '0')
    }
    const settings = await nodeSettings(node.at.node)
    const before = [await everything(node.at.node), await everything(node.at.zt)]
    const side = newSide(variant)
    const ztunnel = { ...node.ztunnel, dnsCapture: variant === 'tproxy' }
    await expect(side.addPod(podOf('app'))).rejects.toMatchObject({ code: 'NO_ZTUNNEL' })
    await side.start(ztunnel)
    await side.addPod(podOf('app'))
    expect(await side.start(ztunnel)).toEqual({ changed: [], warnings: [] })
    expect(await side.addPod(podOf('app'))).toMatchObject({ changed: [], warnings: [] })
    expect(await side.drift()).toEqual([])
    expect(await side.heal()).toEqual({ changed: [], warnings: [] })
    // An agent that starts again finds everything, with the pods.
    const again = openEbpfSide({ netns: node.at.node, pins, variant, settings })
    expect(await again.start(ztunnel)).toEqual({ changed: [], warnings: [] })
    expect(await again.listPods()).toEqual([{ address: addresses.app, uid: 'app' }])
    expect(await again.drift()).toEqual([])
    side.objects[Symbol.dispose]()
    await again.stop()
    expect([await everything(node.at.node), await everything(node.at.zt)]).toEqual(before)
    expect(() => execFileSync('ls', [pins], { stdio: 'pipe' })).toThrow(/No such file/)
    await again.stop()
    expect(await again.listPods()).toEqual([])
  },
)

test('filters of other programs stay and still see packets', async () => {
  using foreign = ebpf().load({ name: 'foreign', instructions: returning(-1), license: 'Apache-2.0' })
  const attach = () =>
    attachFilter(node.rtnl, { link: 'vapp', direction: 'ingress', program: foreign, priority: 5, name: 'foreign' })
  await attach()
  const side = newSide()
  await side.start(node.ztunnel)
  await side.addPod(podOf('app'))
  const names = async () => (await node.rtnl.getFilters({ link: 'vapp' })).map(({ name }) => name).toSorted()
  expect(await names()).toEqual(['app_inbound', 'app_outbound', 'foreign'])
  expect(await attach()).toMatchObject({ attached: false })
  expect(await side.removePod('app')).toEqual([addresses.app])
  expect(await names()).toEqual(['foreign'])
  await side.stop()
  expect(await names()).toEqual(['foreign'])
})

test('pods are identified by their UID, and retainPods() reports stale addresses', async () => {
  const side = newSide()
  await side.start(node.ztunnel)
  await side.addPod({ ...podOf('app'), addresses: [addresses.app, 'fd00::3'] })
  await side.addPod(podOf('srv'))
  await side
    .addPod({ ...podOf('other'), addresses: ['fd00::5'] })
    .then(({ warnings }) => expect(warnings).toEqual(['pod other has no address of IPv4, and is not captured']))
  expect((await side.listPods()).map(({ uid }) => uid).toSorted()).toEqual(['app', 'srv'])
  expect((await side.addPod({ ...podOf('srv'), uid: 'new' })).changed).toContain(
    `${addresses.srv} of pod new was that of pod srv`,
  )
  expect(await side.removePod('srv')).toEqual([])
  expect(await side.retainPods(new Set(['new']))).toEqual([addresses.app])
  expect(await node.rtnl.getFilters({ link: 'vapp' })).toEqual([])
  expect((await node.rtnl.getFilters({ link: 'vsrv' })).length).toBe(2)
  expect(await side.drift()).toEqual([])
  await side.stop()
})

test('heal() restores what another program removed', async () => {
  const side = newSide()
  await side.start(node.ztunnel)
  await side.addPod(podOf('app'))
  await node.rtnl.deleteQdisc({ kind: 'clsact', linkIndex: (await node.rtnl.getLink('vapp'))?.index ?? 0 })
  await netns.exec(node.at.zt, ['ip', 'rule', 'del', 'priority', '20000'])
  side.objects.maps.app_info.delete(addresses.app)
  ebpf().removePins(pins)
  const drift = await side.drift()
  expect(drift).toEqual(
    expect.arrayContaining([
      'missing pin app_info',
      `missing ${addresses.app} of pod app`,
      expect.stringMatching(/^missing program app_inbound on link \d+$/),
      expect.stringMatching(/^ztunnel: missing rule/),
    ]),
  )
  expect((await side.heal()).changed).toEqual(expect.arrayContaining([...drift]))
  expect(await side.drift()).toEqual([])
  await side.stop()
})

test('a second bpf file system over the pins is an error, and nothing is pinned there', async () => {
  const side = newSide()
  await side.start(node.ztunnel)
  const below = dirname(pins)
  const named = `several bpf file systems are mounted on ${below}`
  loadSys().mount('bpf', below, 'bpf', 0, null)
  try {
    expect(() => newSide()).toThrow(named)
    expect(await side.drift()).toContain('missing pin app_outbound')
    await expect(side.heal()).rejects.toThrow(named)
    expect(readdirSync(below)).toEqual(expect.not.arrayContaining(['ambient']))
  } finally {
    loadSys().umount2(below, 0)
  }
  expect(await side.drift()).toEqual([])
  // A second mount of the same file system hides nothing.
  loadSys().mount(below, below, null, MS_BIND, null)
  try {
    using again = newSide()
    expect(again.objects.variant).toBe(side.objects.variant)
  } finally {
    loadSys().umount2(below, 0)
  }
})

test('heal() removes a pod whose link is gone, and drift() is empty after ztunnel has disappeared', async () => {
  const side = newSide()
  await side.start(node.ztunnel)
  await side.addPod(podOf('app'))
  await side.addPod(podOf('srv'))
  await node.rtnl.deleteLink('vapp')
  expect(await side.drift()).toEqual([`the link of ${addresses.app} of pod app has gone`])
  await side.heal()
  expect(await side.listPods()).toEqual([{ address: addresses.srv, uid: 'srv' }])
  await node.rtnl.deleteLink('vzt')
  expect(await side.drift()).toEqual([])
  await side.start({ ...node.ztunnel, uid: 'zt-2', netns: await node.pod('zt2', addresses.zt) })
  expect(await side.drift()).toEqual([])
  await side.stop()
})

test('no connection bypasses ztunnel while one ztunnel replaces another', async () => {
  stack.use(await startApp(node.at.srv, { name: 'srv', ports: [8080] }))
  await using one = startTransparentZtunnel(node.at.zt)
  const untouched = await everything(node.at.zt)
  const side = newSide()
  await side.start(node.ztunnel)
  await side.addPod(podOf('app'))
  const before = await everything(node.at.zt)
  const next = { ...node.ztunnel, uid: 'zt-2', ip: '10.60.0.6', netns: await node.pod('zt2', '10.60.0.6') }
  await using two = startTransparentZtunnel(next.netns)
  const destinations = Array.from({ length: 100 }, () => ({ host: addresses.srv, port: 8080 }))
  const running = connectFrom(node.at.app, 0, destinations)
  await expect.poll(() => one.forwarded.length, { timeout: 20_000, interval: 5 }).toBeGreaterThan(5)
  expect((await side.start(next)).warnings).toEqual([])
  const answered = (await running).filter(({ answer }) => answer?.served_by === 'srv').length
  expect(one.forwarded.length + two.forwarded.length).toBeGreaterThanOrEqual(answered)
  expect(two.forwarded.length).toBeGreaterThan(0)
  expect(answered).toBeGreaterThan(80)
  // The previous ztunnel keeps its rules for open connections, until it disappears or a third ztunnel starts.
  expect(await everything(node.at.zt)).toBe(before)
  expect(await on.hooksOf('vzt')).toEqual(['ztunnel_host_ingress'])
  expect(await side.drift()).toEqual([])
  const third = { ...node.ztunnel, uid: 'zt-3', ip: '10.60.0.7', netns: await node.pod('zt3', '10.60.0.7') }
  expect((await side.start(third)).warnings).toEqual([])
  expect(await everything(node.at.zt)).toBe(untouched)
  expect([await on.hooksOf('vzt'), await on.hooksOf('vzt2')]).toEqual([[], ['ztunnel_host_ingress']])
  await node.rtnl.deleteLink('vzt2')
  expect(await side.drift()).toEqual([
    expect.stringMatching(/^the ztunnel on link \d+ has no open connections any more$/),
  ])
  expect((await side.heal()).warnings).toEqual([])
  expect(await side.drift()).toEqual([])
  await side.stop()
})

describe('causes an error and leaves nothing:', () => {
  test('DNS capture without sk_assign', async () => {
    const before = await everything(node.at.node)
    const side = newSide('mark')
    await expect(side.start(node.ztunnel)).rejects.toMatchObject({
      code: 'NO_SK_ASSIGN',
      message: expect.stringContaining('ISTIO_META_DNS_CAPTURE'),
    })
    expect(await everything(node.at.node)).toBe(before)
    await side.stop()
  })

  test.each<[string, string, RegExp]>([
    ['the address of ztunnel', addresses.zt, /is ztunnel's/],
    ['the address of the node', addresses.node, /is the node's/],
    ['an address that it does not have', '10.60.0.99', /no link of its namespace has the address 10\.60\.0\.99/],
  ])('a pod with %s', async (_, address, message) => {
    const side = newSide()
    await side.start(node.ztunnel)
    const before = await everything(node.at.node)
    await expect(side.addPod({ ...podOf('app'), addresses: [addresses.app, address] })).rejects.toThrow(message)
    expect(await side.listPods()).toEqual([])
    expect(await everything(node.at.node)).toBe(before)
    await side.stop()
  })

  test('a pod on a link that is not a veth', async () => {
    const side = newSide()
    await side.start(node.ztunnel)
    await netns.exec(node.at.app, ['ip', 'link', 'add', 'br0', 'type', 'bridge'])
    await netns.exec(node.at.app, ['ip', 'addr', 'add', '10.60.0.77/32', 'dev', 'br0'])
    await expect(side.addPod({ ...podOf('app'), addresses: ['10.60.0.77'] })).rejects.toMatchObject({
      code: 'NO_VETH',
      message: expect.stringContaining('is on br0, which is bridge, not a veth'),
    })
    await side.stop()
  })

  test('pins of another version', () => {
    ebpf().pins(pins, { version: 99, create: true })
    expect(() => newSide()).toThrow(/have version 99, expected 1/)
    expect(ebpf().pins(pins, { version: 99 }).list()).toEqual([])
  })

  test('pins of another size', () => {
    const theirs = hashMap({ name: 'app_info', key: ipv4, value: int('u32'), maxEntries: 8 })
    ebpf().pins(pins, { version: 1, create: true }).map(theirs).close()
    expect(() => newSide()).toThrow(
      expect.objectContaining({ code: 'MISMATCH', message: expect.stringContaining('app_info') }),
    )
    ebpf().openMap(theirs, join(pins, 'app_info')).close()
  })

  test.each([
    ['maps and programs', '-bpf,-sys_admin', () => pins, 'EPERM, this process lacks CAP_BPF, or CAP_SYS_ADMIN'],
    ['mounting a bpf file system', '-sys_admin', () => join(plain(), 'ambient'), 'lacks CAP_SYS_ADMIN'],
  ])('%s without the capability', async (_, dropped, where, message) => {
    const path = where()
    const before = readdirSync(dirname(path))
    const side = new URL('../../src/ebpf/open-ebpf-side.ts', import.meta.url).href
    const script = `const { openEbpfSide } = await import(${JSON.stringify(side)}); openEbpfSide({ pins: ${JSON.stringify(path)} })`
    const argv = ['setpriv', `--bounding-set=${dropped}`, `--inh-caps=${dropped}`] as const
    const node = [process.execPath, '--conditions=@cni/source', '--input-type=module', '-e', script]
    const { exitCode, stderr } = await run([...argv, ...node], { reject: false })
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining(message) })
    expect(readdirSync(dirname(path))).toEqual(before)
  })
})
