import { createServer, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { type Netns, netns } from '@cni/netns'
import { isSysError, loadSys } from '@cni/netns/sys'
import { parseAddress } from '@cni/types/ip'

const AF_INET = 2
/** Socket type: SOCK_STREAM, SOCK_NONBLOCK and SOCK_CLOEXEC combined. */
const SOCKET_TYPE = 1 | 0x800 | 0x80000

/** Listens on a TCP port inside a network namespace, with the server in this process. */
export function serveIn(inside: Netns, port: number, serve: (client: Socket) => void): AsyncDisposable {
  const open = new Set<Socket>()
  const server = createServer({ noDelay: true }, (client) => {
    open.add(client)
    client.on('error', () => client.destroy()).on('close', () => open.delete(client))
    serve(client)
  })
  // Passes no host name, so that Node.js creates the socket in this thread's namespace.
  netns.run(inside, () => void server.listen(port))
  return {
    async [Symbol.asyncDispose]() {
      server.close()
      for (const client of open) client.destroy()
    },
  }
}

/** Starts a TCP server that answers each client with `NAME saw ADDRESS`. */
export const serveName = (inside: Netns, port: number, name: string): AsyncDisposable =>
  serveIn(inside, port, (client) => client.end(`${name} saw ${sourceOf(client)}`))

/** Returns the client's IP address as the server sees it. */
export const sourceOf = ({ remoteAddress = '' }: Socket): string => remoteAddress.replace('::ffff:', '')

/** Opens a TCP connection inside a network namespace, with the socket in this process. */
export function connectIn(inside: Netns, host: string, port: number): Socket {
  const fd = netns.run(inside, () => {
    const sys = loadSys()
    const made = sys.socket(AF_INET, SOCKET_TYPE, 0)
    try {
      sys.connect(
        made,
        Uint8Array.of(AF_INET, 0, port >> 8, port & 255, ...(parseAddress(host) ?? []), ...Array(8).fill(0)),
      )
    } catch (error) {
      if (!isSysError(error) || error.code !== 'EINPROGRESS') throw error
    }
    return made
  })
  return new Socket({ fd, allowHalfOpen: true }).setNoDelay()
}

/** Connects to a test server. Resolves to the server's answer, or to the error as text. */
export async function answerOf(inside: Netns, host: string, port: number): Promise<string> {
  const socket = connectIn(inside, host, port)
  socket.setTimeout(2000, () => socket.destroy(new Error('no answer within 2 s')))
  return await text(socket)
    .catch((error: Error) => error.message)
    .finally(() => socket.destroy())
}
