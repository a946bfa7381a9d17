import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { netns } from '@cni/netns'
import type { Netns } from '@cni/netns/handle'

/** Creates a TCP server that listens in the pod's namespace. This process stays outside the namespace. */
export async function listenIn(pod: Netns, port: number): Promise<Server> {
  const server = createServer((socket) => socket.end('hello from the pod\n'))
  // passes no host name, because a name lookup would end outside the pod's namespace
  netns.run(pod, () => void server.listen(port))
  await once(server, 'listening')
  return server
}
