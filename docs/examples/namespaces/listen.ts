import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { netns } from '@cni/netns'
import type { Netns } from '@cni/netns/handle'

/** A server of the pod's namespace in a process that is not in it. */
export async function listenIn(pod: Netns, port: number): Promise<Server> {
  const server = createServer((socket) => socket.end('hello from the pod\n'))
  netns.run(pod, () => void server.listen(port)) // no host name: a look-up would bind later, outside
  await once(server, 'listening')
  return server
}
