import { netns, openRtnl, sysctl } from '@cni/netns'
import type { Netns } from '@cni/netns/handle'
import { tempNetns } from '@cni/netns/testing'

/** A test pod. `veth` is the node's end of the pod's veth pair. */
export interface Pod {
  readonly netns: Netns
  readonly veth: string
  readonly ipv4: string
  readonly ipv6: string
}

/** Creates a test node whose pods are connected by veth pairs. */
export async function stage(pods: number) {
  const stack = new AsyncDisposableStack()
  const node = stack.use(await emptyNetns())
  using onNode = await openRtnl(node)
  const all: Pod[] = []
  for (let index = 0; index < pods; index++) {
    const own = stack.use(await emptyNetns())
    const [veth, v4, v6] = [`veth${index}`, `10.8${index}.0`, `fd00:${index}:`]
    await onNode.addLink({ kind: 'veth', name: veth, up: true, peer: { name: 'eth0', netns: own, up: true } })
    using inPod = await openRtnl(own)
    for (const net of [v4, v6]) {
      const [dot, length] = net === v4 ? ['.', 24] : [':', 64]
      await onNode.addAddress(veth, `${net}${dot}1/${length}`)
      await inPod.addAddress('eth0', `${net}${dot}2/${length}`)
      await inPod.addRoute({ cidr: net === v4 ? '0.0.0.0/0' : '::/0', gateway: `${net}${dot}1`, link: 'eth0' })
    }
    all.push({ netns: own, veth, ipv4: `${v4}.2`, ipv6: `${v6}:2` })
  }
  for (const name of ['net.ipv4.ip_forward', 'net.ipv6.conf.all.forwarding']) await sysctl(node).set(name, 1)
  return { node, pods: all, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** Disables IPv6 duplicate address detection in a namespace, so that new IPv6 addresses are usable at once. */
async function emptyNetns() {
  const where = await tempNetns()
  for (const links of ['all', 'default']) await sysctl(where).set(`net.ipv6.conf.${links}.accept_dad`, 0)
  return where
}

/** Creates the `prevResult` of a chained plugin, for a pod with the given addresses. */
export function resultOf(...addresses: readonly string[]) {
  return {
    cniVersion: '1.1.0',
    interfaces: [{ name: 'eth0', mac: '02:00:00:00:00:01', sandbox: '/run/netns/x' }],
    ips: addresses.map((address) => ({ address: `${address}/${address.includes(':') ? 64 : 24}`, interface: 0 })),
  }
}

const ECHO = `
  const [, word, port] = process.argv
  const socket = require('node:dgram').createSocket({ type: 'udp6' })
  socket.on('message', (_, from) => socket.send(word, from.port, from.address))
  socket.bind(Number(port), () => console.error('bound'))`
const ASK = `
  const [, host, port, from] = process.argv
  const socket = require('node:dgram').createSocket(host.includes(':') ? 'udp6' : 'udp4')
  const end = (text) => { console.log(text); process.exit() }
  socket.on('message', (text) => end(String(text))).on('error', ({ code }) => end(code))
  socket.bind(Number(from), () => socket.connect(Number(port), host, () => {
    socket.send('x')
    setInterval(() => socket.send('x'), 100)
  }))
  setTimeout(end, 2000, 'no answer')`

/** Starts a UDP server that answers each datagram with `word`. */
export async function answerUdp(where: Netns, port: number, word: string) {
  let bound = (_: unknown): void => {}
  const first = new Promise((resolve) => {
    bound = resolve
  })
  const child = netns.start(where, [process.execPath, '-e', ECHO, word, `${port}`], { stderr: (chunk) => bound(chunk) })
  const ended = child.done.catch((error: unknown) => error)
  const outcome = await Promise.race([first, ended])
  if (outcome instanceof Error) throw outcome
  return {
    async [Symbol.asyncDispose]() {
      child.kill()
      await ended
    },
  }
}

/** Sends UDP datagrams from one source port until an answer arrives, like a DNS resolver. */
export async function askUdp(where: Netns, host: string, port: number, from = 5555): Promise<string> {
  const argv = [process.execPath, '-e', ASK, host, `${port}`, `${from}`] as const
  const { stdout } = await netns.exec(where, argv, { timeout: 20_000 })
  return stdout.trim()
}
