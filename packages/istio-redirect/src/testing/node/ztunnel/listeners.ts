/** Listeners of the ztunnel stand-in in a network namespace, and the connections that it forwards. */
import { createSocket, type Socket as Datagrams } from 'node:dgram'
import { createServer, type Server, Socket } from 'node:net'
import { QUERY_PORT } from '@cni/istio-rules'
import type { Netns } from '@cni/netns'
import { boundSocket, connectMarked } from './marked-sockets.ts'

/** Connection that the ztunnel stand-in has forwarded. */
export interface Forwarded {
  readonly direction: 'inbound' | 'outbound' | 'hbone'
  readonly from: string
  readonly to: string
}

/** State that the listeners of a ztunnel stand-in share, in all namespaces. */
export interface ProxyDeps {
  /** Sockets of the open connections: for each connection one to the client and one to the server. */
  readonly open: Set<Socket>
  readonly onForward: (connection: Forwarded) => void
  /** True if a second ztunnel may listen on the same addresses, as during an upgrade. */
  readonly shared?: boolean
}

/** IP address and port of a connection's end. */
export interface Endpoint {
  readonly address: string
  readonly port: number
}

/** Listeners of the ztunnel stand-in in one network namespace. */
export interface Listeners {
  /** Listens on a port, also for redirected connections to other addresses. Throws a `BindError`. */
  serve(address: string, port: number, onConnection: (client: Socket) => void): void
  /** Listens for DNS queries and answers all of them with "no such name". Throws a `BindError`. */
  answer(address: string): void
  /** Registers a socket that has to close when the ztunnel stand-in ends. */
  register(socket: Socket): Socket
  /** Forwards a client's connection to the server and records the connection. `source` is the source address. */
  pass(
    client: Socket,
    connection: { direction: Forwarded['direction']; to: Endpoint; source?: string | undefined },
  ): void
  /** Closes all listeners of the namespace. Open connections continue. */
  close(): void
}

/**
 * Creates ztunnel's listeners in a network namespace. The caller closes the listeners before it closes the namespace.
 */
export function listenersIn(netns: Netns, { open, onForward, shared = false }: ProxyDeps): Listeners {
  const undo: (() => void)[] = []
  const register = (socket: Socket): Socket => {
    open.add(socket)
    return socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket))
  }
  return {
    register,
    serve(address, port, onConnection) {
      const fd = boundSocket(netns, 'tcp', { address, port, shared })
      const server: Server = createServer({ allowHalfOpen: true }, onConnection)
      server.listen({ fd })
      undo.push(() => server.close())
    },
    answer(address) {
      const fd = boundSocket(netns, 'udp', { address, port: QUERY_PORT, shared })
      const socket: Datagrams = createSocket(address.includes(':') ? 'udp6' : 'udp4')
      socket.on('error', () => {})
      socket.on('message', (query, from) => socket.send(unknownName(query), from.port, from.address))
      socket.bind({ fd })
      undo.push(() => socket.close())
    },
    pass(client, { direction, to, source }) {
      register(client)
      try {
        const fd = connectMarked(netns, to, source)
        join(client, register(new Socket({ fd, allowHalfOpen: true })))
        onForward({ direction, from: plain(client.remoteAddress ?? ''), to: endpointText(to) })
      } catch {
        client.destroy()
      }
    },
    close() {
      for (const step of undo.splice(0).reverse()) step()
    },
  }
}

/** Removes the prefix `::ffff:`, which a socket for IPv4 and IPv6 adds to IPv4 addresses. */
export const plain = (address: string): string => address.replace(/^::ffff:/, '')

/** Builds the DNS response "no such name" to a query over TCP. */
export const overTcp = (query: Buffer | string): Buffer => {
  const bytes = Buffer.from(query)
  return Buffer.concat([bytes.subarray(0, 2), unknownName(bytes.subarray(2))])
}

// internal

function join(client: Socket, server: Socket): void {
  client.pipe(server)
  server.pipe(client)
  client.on('close', () => server.destroy())
  server.on('close', () => client.destroy())
}

const endpointText = ({ address, port }: Endpoint): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`

/** Builds the DNS response "no such name" to a query. */
function unknownName(query: Buffer): Buffer {
  const answer = Buffer.from(query)
  if (answer.length >= 4) {
    answer[2] = (answer[2] ?? 0) | 0x80
    answer[3] = 0x83
  }
  return answer
}
