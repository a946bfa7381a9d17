import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { netns, openRtnl, sysctl } from '@cni/netns'
import type { Netns } from '@cni/netns/handle'
import { tempNetns } from '@cni/netns/testing'
import { type Middleware, use } from '@cni/skel'
import { testPlugin } from '@cni/skel/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hostLinkOf } from '../src/plan.ts'
import { ptpRouted } from '../src/plugin.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ptp-routed-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** A tester on its own node, with leases of Debian's host-local. */
function testerOn(node: Netns, ...middleware: readonly Middleware[]) {
  const ranges = [[{ subnet: '10.78.0.0/24' }], [{ subnet: 'fd78::/64' }]]
  const routes = [{ dst: '0.0.0.0/0' }, { dst: '::/0' }]
  return testPlugin(use(ptpRouted({ node }), ...middleware), {
    path: ['/usr/lib/cni'],
    conf: {
      ipam: { type: 'host-local', dataDir: folder, ranges, routes },
      mtu: 1400,
      sysctls: { 'net.ipv4.conf.IFNAME.arp_notify': '1' },
    },
  })
}

const hostLinkFor = (containerID: string) => hostLinkOf({ networkName: 'test', containerID, ifName: 'eth0' })

const leases = (): string[] =>
  readdirSync(join(folder, 'test'))
    .filter((name) => /^(10|fd)/.test(name))
    .sort()

async function hostLinks(node: Netns): Promise<string[]> {
  using rtnl = await openRtnl(node)
  return (await rtnl.getLinks()).map(({ name }) => name).filter((name) => name.startsWith('ptp'))
}

// A process of its own: node:net connects in a later tick, when this thread has left the namespace.
const ASK = `
  const { connect } = require('node:net')
  for (const host of process.argv.slice(1)) connect(80, host).on('data', (text) => console.log(host + ' says ' + text))`

/** Responses of a server in one pod to the other pod. */
async function talk(from: Netns, to: Netns, hosts: readonly string[]): Promise<string[]> {
  const server = createServer((socket) => socket.end(`hello ${socket.remoteAddress}`))
  try {
    netns.run(to, () => void server.listen(80))
    await once(server, 'listening')
    const { stdout } = await netns.exec(from, [process.execPath, '-e', ASK, ...hosts], { timeout: 20_000 })
    return stdout.trim().split('\n').sort()
  } finally {
    server.close()
  }
}

test('two pods reach each other over the node, in both families, until DEL', async () => {
  await using node = await tempNetns()
  await using a = await tempNetns()
  await using b = await tempNetns()
  const tester = testerOn(node)
  const { result } = await tester.add({ netns: a, containerID: 'a' })
  const hostLink = hostLinkFor('a')
  expect(result).toMatchObject({
    interfaces: [{ name: hostLink }, { name: 'eth0', sandbox: a.path, mac: expect.stringMatching(/^..:/) }],
    ips: [
      { address: '10.78.0.2/32', gateway: '10.78.0.1', interface: 1 },
      { address: 'fd78::2/128', gateway: 'fd78::1', interface: 1 },
    ],
    routes: [{ dst: '0.0.0.0/0' }, { dst: '::/0' }],
  })
  expect((await tester.add({ netns: b, containerID: 'b' })).exitCode).toBe(0)
  expect(await talk(b, a, ['10.78.0.2', 'fd78::2'])).toEqual([
    '10.78.0.2 says hello ::ffff:10.78.0.3',
    'fd78::2 says hello fd78::3',
  ])
  expect((await tester.check({ netns: a, containerID: 'a', prevResult: result })).exitCode).toBe(0)

  for (const [pod, containerID] of [
    [a, 'a'],
    [b, 'b'],
  ] as const) {
    expect((await tester.del({ netns: pod, containerID })).exitCode).toBe(0)
    expect((await tester.del({ netns: pod, containerID })).exitCode).toBe(0)
  }
  expect([await hostLinks(node), leases()]).toEqual([[], []])
})

test('CHECK reports changes of another program, on either end', async () => {
  await using node = await tempNetns()
  await using pod = await tempNetns()
  const tester = testerOn(node)
  const { result } = await tester.add({ netns: pod })
  const hostLink = hostLinkFor('test-container')
  using inPod = await openRtnl(pod)
  using onNode = await openRtnl(node)
  await inPod.deleteRoute({ cidr: '0.0.0.0/0' })
  await inPod.deleteAddress('eth0', 'fd78::2/128')
  await sysctl(pod).set('net.ipv4.conf.eth0.arp_notify', 0)
  await onNode.deleteRoute({ cidr: '10.78.0.2/32' })
  expect((await tester.check({ netns: pod, prevResult: result })).error).toMatchObject({
    code: 100,
    details: [
      'pod: no fd78::2/128 on eth0',
      'pod: no route to 0.0.0.0/0 via 10.78.0.1 on eth0',
      `node: no route to 10.78.0.2/32 on ${hostLink}`,
      'pod: net.ipv4.conf.eth0.arp_notify is 0, not 1',
    ].join('\n'),
  })
  await onNode.deleteLink(hostLink)
  expect((await tester.check({ netns: pod, prevResult: result })).error?.msg).toContain('pod: there is no eth0')
})

test('an ADD that fails at its last step leaves no link, no lease and no sysctl', async () => {
  await using node = await tempNetns()
  await using pod = await tempNetns()
  const tester = testerOn(node)
  const { error } = await tester.add({ netns: pod, conf: { sysctls: { 'net.ipv4.conf.IFNAME.nonsense': '1' } } })
  expect(error?.msg).toContain('nonsense')
  using inPod = await openRtnl(pod)
  expect((await inPod.getLinks()).map(({ name }) => name)).toEqual(['lo'])
  expect([await hostLinks(node), leases()]).toEqual([[], []])
})

test('a second ADD fails, and keeps the links and lease of the existing pod', async () => {
  await using node = await tempNetns()
  await using pod = await tempNetns()
  const tester = testerOn(node)
  const { result } = await tester.add({ netns: pod })
  expect((await tester.add({ netns: pod })).error?.msg).toBe('the pod has an interface eth0 already')
  expect((await tester.check({ netns: pod, prevResult: result })).exitCode).toBe(0)
  expect(leases()).toEqual(['10.78.0.2', 'fd78::2'])
})

test('GC disconnects invalid attachments and releases their addresses, with an IPAM plugin without GC', async () => {
  await using node = await tempNetns()
  await using a = await tempNetns()
  await using b = await tempNetns()
  const tester = testerOn(node)
  await tester.add({ netns: a, containerID: 'a' })
  await tester.add({ netns: b, containerID: 'b' })
  expect((await tester.gc({ validAttachments: [{ containerID: 'b', ifname: 'eth0' }] })).exitCode).toBe(0)
  expect(await hostLinks(node)).toEqual([hostLinkFor('b')])
  expect(leases()).toEqual(['10.78.0.3', 'fd78::3'])
})

test('an ADD that fails last keeps the links of a pod that came meanwhile', async () => {
  await using node = await tempNetns()
  await using a = await tempNetns()
  await using b = await tempNetns()
  const other = testerOn(node)
  const tester = testerOn(node, async (_, next) => {
    await next()
    expect((await other.add({ netns: b, containerID: 'b' })).exitCode).toBe(0)
    throw new Error('a later step fails')
  })
  expect((await tester.add({ netns: a, containerID: 'a' })).error?.msg).toContain('a later step fails')
  expect(await hostLinks(node)).toEqual([hostLinkFor('b')])
  expect(await sysctl(node).get('net.ipv4.ip_forward')).toBe('1')
  expect(await talk(node, b, ['10.78.0.3', 'fd78::3'])).toHaveLength(2)
  expect(leases()).toEqual(['10.78.0.3', 'fd78::3'])
})
