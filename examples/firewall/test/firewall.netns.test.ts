import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { netns, openRtnl } from '@cni/netns'
import type { Netns } from '@cni/netns/handle'
import { tempNetns } from '@cni/netns/testing'
import { testPlugin } from '@cni/skel/testing'
import { afterEach, expect, test } from 'vitest'
import { ALLOW_ANNOTATION, plugin } from '../src/plugin.ts'

const ACCEPT_DAD = ['all', 'default'].map((scope) => `/proc/sys/net/ipv6/conf/${scope}/accept_dad`)

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** Connects a pod and its client by a cable: 10.77.0.2 and fd77::2, 10.77.0.1 and fd77::1. */
async function cable(pod: Netns, client: Netns): Promise<void> {
  // Disables duplicate address detection, so that addresses are usable at once.
  const impatient = () => {
    for (const path of ACCEPT_DAD) writeFileSync(path, '0')
  }
  for (const where of [pod, client]) netns.run(where, impatient)
  using outside = await openRtnl(client)
  await outside.addLink({ kind: 'veth', name: 'client', peer: { name: 'eth0', netns: pod } })
  for (const [where, name, host] of [
    [client, 'client', 1],
    [pod, 'eth0', 2],
  ] as const) {
    using rtnl = await openRtnl(where)
    await rtnl.addAddress(name, `10.77.0.${host}/24`)
    await rtnl.addAddress(name, `fd77::${host}/64`)
    await rtnl.setLinkUp(name)
  }
}

async function listen(where: Netns, ...ports: readonly number[]): Promise<void> {
  for (const port of ports) {
    const server = createServer((socket) => socket.end())
    netns.run(where, () => void server.listen(port))
    closing.push(() => server.close())
    await once(server, 'listening')
  }
}

// A process of its own: node:net connects in a later tick, when this thread has left the namespace.
const KNOCK = `
  const { connect } = require('node:net')
  for (const [host, port] of JSON.parse(process.argv[1])) {
    const say = (what) => console.log(host + ' ' + port + ' ' + what)
    const socket = connect(port, host, () => say('open', socket.destroy())).on('error', ({ code }) => say(code))
  }`

/** Results of connections: `open`, or the errno. */
async function knock(from: Netns, doors: readonly (readonly [host: string, port: number])[]): Promise<string[]> {
  const argv = [process.execPath, '-e', KNOCK, JSON.stringify(doors)] as const
  const { stdout } = await netns.exec(from, argv, { timeout: 20_000 })
  return stdout.trim().split('\n').sort()
}

test('packets pass only if network and pod allow them, until DEL', async () => {
  await using client = await tempNetns()
  await using pod = await tempNetns()
  await cable(pod, client)
  await listen(pod, 22, 80, 8080)
  const doors = ['10.77.0.2', 'fd77::2'].flatMap((host) => [22, 80, 8080].map((port) => [host, port] as const))
  const open = doors.map((door) => `${door.join(' ')} open`)
  expect(await knock(client, doors)).toEqual(open)

  const runtimeConfig = { 'io.kubernetes.cri.pod-annotations': { [ALLOW_ANNOTATION]: 'tcp 8080' } }
  const conf = { deny: ['tcp 80 from fd77::/64'], allow: ['tcp 80'], runtimeConfig }
  const tester = testPlugin(plugin, { netns: pod, conf })
  expect((await tester.add()).exitCode).toBe(0)
  expect(await knock(client, doors)).toEqual([
    '10.77.0.2 22 ECONNREFUSED',
    '10.77.0.2 80 open',
    '10.77.0.2 8080 open',
    'fd77::2 22 ECONNREFUSED',
    'fd77::2 80 ECONNREFUSED',
    'fd77::2 8080 open',
  ])
  // The pod gets responses to its own connections.
  await listen(client, 443)
  expect(await knock(pod, [['10.77.0.1', 443]])).toEqual(['10.77.0.1 443 open'])
  expect((await tester.check()).exitCode).toBe(0)

  expect((await tester.del()).exitCode).toBe(0)
  expect(await knock(client, doors)).toEqual(open)
})
