import { once } from 'node:events'
import { createServer } from 'node:net'
import { ebpf } from '@cni/ebpf'
import { iptables } from '@cni/iptables'
import { netns, openRtnl, sysctl } from '@cni/netns'
import type { Netns } from '@cni/netns/handle'
import { tempNetns } from '@cni/netns/testing'
import { testPlugin } from '@cni/skel/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { tempBpffs } from '../../../packages/ebpf/test/bpffs.ts'
import { returning } from '../../../packages/ebpf/test/programs.ts'
import { bandwidth } from './bandwidth.ts'
import { pinnedProgram } from './ebpf.ts'
import { portmap } from './portmap.ts'
import { sbr } from './sbr.ts'
import { tuning } from './tuning.ts'

let node: Netns & AsyncDisposable
let pod: Netns & AsyncDisposable
beforeEach(async () => {
  node = await tempNetns()
  pod = await tempNetns()
  using onNode = await openRtnl(node)
  await onNode.addLink({ kind: 'veth', name: 'veth0', up: true, peer: { name: 'eth0', netns: pod, up: true } })
  await onNode.addAddress('veth0', '10.81.0.1/24')
  using inPod = await openRtnl(pod)
  await inPod.addAddress('eth0', '10.81.0.2/24')
  await inPod.addRoute({ cidr: '0.0.0.0/0', gateway: '10.81.0.1', link: 'eth0' })
})
afterEach(async () => {
  await pod[Symbol.asyncDispose]()
  await node[Symbol.asyncDispose]()
})

const prevResult = {
  cniVersion: '1.1.0',
  interfaces: [{ name: 'eth0', mac: '02:00:00:00:00:01', sandbox: '/run/netns/x' }],
  ips: [{ address: '10.81.0.2/24', gateway: '10.81.0.1', interface: 0 }],
}

const CONNECT = `
  const [, host, port] = process.argv
  const socket = require('node:net').connect(Number(port), host, () => socket.end('x'))
  socket.on('data', (text) => console.log(String(text))).on('error', ({ code }) => console.log(code))`

/** Connects to a server and returns its text. */
async function ask(from: Netns, host: string, port: number): Promise<string> {
  const { stdout } = await netns.exec(from, [process.execPath, '-e', CONNECT, host, `${port}`], { timeout: 20_000 })
  return stdout.trim()
}

test('portmap: a port of the node is forwarded to the pod until DEL', async () => {
  const tester = testPlugin(portmap(node), {
    netns: pod,
    prevResult,
    // containerd spells the member in this way.
    conf: { runtimeConfig: { portMappings: [{ HostPort: 8080, ContainerPort: 80, Protocol: 'tcp', HostIP: '' }] } },
  })
  const server = createServer((socket) => socket.end('from the pod'))
  try {
    netns.run(pod, () => void server.listen(80))
    await once(server, 'listening')
    expect((await tester.add()).error).toBeUndefined()
    expect(await ask(node, '10.81.0.1', 8080)).toBe('from the pod')
    expect((await tester.check()).exitCode).toBe(0)
    expect((await tester.del()).exitCode).toBe(0)
    expect(await ask(node, '10.81.0.1', 8080)).toBe('ECONNREFUSED')
  } finally {
    server.close()
  }
  expect(await iptables(node).save('ipv4')).not.toContain('PM-')
})

test('tuning: DEL restores settings and link, and nothing changes if a setting is invalid', async () => {
  using inPod = await openRtnl(pod)
  const name = 'net.ipv4.conf.eth0.arp_notify'
  const before = [await inPod.getLink('eth0'), await sysctl(pod).get(name)]
  const conf = { link: { mtu: 1300, mac: '02:00:00:00:00:07', promisc: true }, sysctl: { [name]: '1' } }
  const tester = testPlugin(tuning, { netns: pod, prevResult, conf })
  await tester.add()
  const { result } = await tester.add()
  expect(result?.interfaces?.[0]?.mac).toBe('02:00:00:00:00:07')
  expect(await inPod.getLink('eth0')).toMatchObject(conf.link)
  expect((await tester.check()).exitCode).toBe(0)
  await sysctl(pod).set(name, 0)
  expect((await tester.check()).error).toMatchObject({ code: 100, msg: `${name} is 0, not 1` })
  await tester.del()
  expect([await inPod.getLink('eth0'), await sysctl(pod).get(name)]).toEqual(before)

  const { error } = await tester.add({ conf: { sysctl: { [name]: '1', 'net.ipv4.conf.eth0.nonsense': '1' } } })
  expect(error?.msg).toContain('nonsense')
  expect([await inPod.getLink('eth0'), await sysctl(pod).get(name)]).toEqual(before)
})

test('sbr: packets from an address leave by its interface, despite the default route', async () => {
  using inPod = await openRtnl(pod)
  await inPod.addLink({ kind: 'ifb', name: 'net1', up: true })
  await inPod.addAddress('net1', '10.82.0.2/24')
  const way = async () => {
    const { stdout } = await netns.exec(pod, ['ip', 'route', 'get', '192.0.2.1', 'from', '10.81.0.2'])
    return stdout.split('\n')[0]?.trim().split(/\s+/).slice(0, 7).join(' ')
  }
  const tester = testPlugin(sbr, { netns: pod, prevResult })
  expect((await tester.add()).exitCode).toBe(0)
  // Another network adds the default route.
  await inPod.addRoute({ cidr: '0.0.0.0/0', gateway: '10.82.0.1', link: 'net1' })
  expect(await way()).toBe('192.0.2.1 from 10.81.0.2 via 10.81.0.1 dev eth0')
  await tester.del()
  expect(await way()).toBe('192.0.2.1 from 10.81.0.2 via 10.82.0.1 dev net1')
})

test('bandwidth: half a megabyte needs the expected time in both directions, and DEL removes everything', async () => {
  const rate = { ingressRate: 8_000_000, ingressBurst: 800_000, egressRate: 8_000_000, egressBurst: 800_000 }
  const tester = testPlugin(bandwidth(node), { netns: pod, prevResult, conf: { runtimeConfig: { bandwidth: rate } } })
  expect((await tester.add()).exitCode).toBe(0)
  using onNode = await openRtnl(node)
  const kinds = (await onNode.getQdiscs())
    .map(({ kind }) => kind)
    .filter((kind) => kind === 'tbf' || kind === 'ingress')
  expect(kinds.sort()).toEqual(['ingress', 'tbf', 'tbf'])
  const took = {
    'to the pod': await transfer(node, pod, '10.81.0.2'),
    'from the pod': await transfer(pod, node, '10.81.0.1'),
  }
  // 500 kB minus a burst of 100 kB at 1 MB/s: 400 ms.
  for (const ms of Object.values(took)) expect(ms).toBeGreaterThan(350)
  expect((await tester.del()).exitCode).toBe(0)
  expect((await onNode.getLinks()).map(({ name }) => name)).toEqual(['lo', 'veth0'])
})

const SEND = `
  const started = performance.now()
  const socket = require('node:net').connect(81, process.argv[1], () => socket.end(Buffer.alloc(500_000)))
  socket.on('data', () => console.log(performance.now() - started))`

/** Milliseconds until the receiver has all bytes. */
async function transfer(from: Netns, to: Netns, host: string): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, (socket) => socket.resume().on('end', () => socket.end('all')))
  try {
    netns.run(to, () => void server.listen(81))
    await once(server, 'listening')
    const { stdout } = await netns.exec(from, [process.execPath, '-e', SEND, host], { timeout: 20_000 })
    return Number(stdout)
  } finally {
    server.close()
  }
}

test('ebpf: packets of the pod pass a pinned program, besides other filters, until DEL', async () => {
  using files = tempBpffs()
  const pin = (name: string, returned: number): string => {
    const path = `${files.path}/${name}`
    using program = ebpf().load({ name, instructions: returning(returned), license: 'Apache-2.0' })
    program.pin(path)
    return path
  }
  const [pass, drop] = [pin('pass', -1), pin('drop', 2)]
  using onNode = await openRtnl(node)
  await onNode.addQdisc({ kind: 'clsact', link: 'veth0' })
  {
    using theirs = ebpf().openProgram(pass)
    await onNode.addFilter({ link: 'veth0', direction: 'ingress', program: theirs.fd, name: 'theirs' })
  }
  const foreign = await onNode.getFilters()
  /** The port has no listener: if a packet arrives, the node's kernel refuses the connection. */
  const connection = async () => {
    const argv = ['timeout', '1', 'bash', '-c', 'echo > /dev/tcp/10.81.0.1/9'] as const
    return await netns.exec(pod, argv).catch(({ exitCode }) => (exitCode === 124 ? 'lost' : 'refused'))
  }
  const tester = testPlugin(pinnedProgram(node), { netns: pod, prevResult, conf: { program: drop } })
  expect(await connection()).toBe('refused')
  expect((await tester.add()).error).toBeUndefined()
  expect(await connection()).toBe('lost')
  expect((await tester.check()).exitCode).toBe(0)
  expect((await tester.check({ conf: { program: pass } })).error?.msg).toMatch(/^program \d+ is attached, not \d+$/)
  expect((await tester.add({ conf: { program: pass } })).error).toBeUndefined()
  expect(await connection()).toBe('refused')
  expect((await tester.del()).exitCode).toBe(0)
  expect((await tester.del()).exitCode).toBe(0)
  expect(await onNode.getFilters()).toEqual(foreign)
  expect((await tester.add({ conf: { program: `${files.path}/none` } })).error?.msg).toContain(
    'nothing is pinned there',
  )
})
