import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { type Netns, netns } from '@cni/netns'

/** Lists the listening sockets in a pod, as `ss` prints them. */
export async function listeners(pod: Netns): Promise<string[]> {
  const { stdout } = await netns.exec(pod, ['ss', '-Hlntu'])
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(/\s+/))
    .map(([protocol, , , , address]) => `${protocol} ${address}`)
    .toSorted()
}

/** Expected listening sockets in a pod in which ztunnel listens. */
export const all = [
  'tcp *:15001',
  'tcp *:15006',
  'tcp *:15008',
  'tcp 127.0.0.1:15053',
  'tcp [::1]:15053',
  'udp 127.0.0.1:15053',
  'udp [::1]:15053',
]

/** Occupies one of ztunnel's ports in the pod until the returned server is closed. */
export async function startBlocker(pod: Netns): Promise<Server> {
  const server = netns.run(pod, () => createServer().listen(15006))
  await once(server, 'listening')
  return server
}
