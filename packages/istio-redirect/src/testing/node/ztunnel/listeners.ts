/** Listeners in a namespace, and what passes through them. */
import { createSocket, type Socket as Datagrams } from 'node:dgram'
import { createServer, type Server, Socket } from 'node:net'
import { QUERY_PORT } from '@cni/istio-rules'
import type { Netns } from '@cni/netns'
import { boundSocket, connectMarked } from './marked-sockets.ts'

/** A connection that passed through ztunnel. */
export interface Forwarded {
  readonly direction: 'inbound' | 'outbound' | 'hbone'
  readonly from: string
  readonly to: string
}

/** What all listeners of one ztunnel share. */
export interface ProxySurroundings {
  /** Both sides of each connection, as long as it is open. */
  readonly open: Set<Socket>
  readonly onForward: (connection: Forwarded) => void
  /** Others may listen there as well, as at an upgrade in a pod. */
  readonly shared?: boolean
}

/** An address with a port. */
export interface Endpoint {
  readonly address: string
  readonly port: number
}

/** The listeners of a ztunnel in one namespace. */
export interface Listeners {
  /** Accepts connections, also to addresses of others that rules lead here. Throws a `BindError`. */
  serve(address: string, port: number, onConnection: (client: Socket) => void): void
  /** Answers queries: there is no such name. Throws a `BindError`. */
  answer(address: string): void
  /** The connection is over when the stand-in is. */
  keep(socket: Socket): Socket
  /** Passes a connection on, with this source or its own, and notes it. */
  pass(
    client: Socket,
    connection: { direction: Forwarded['direction']; to: Endpoint; source?: string | undefined },
  ): void
  /** Nobody can connect any more; connections go on. */
  close(): void
}

/** Listeners in a namespace that is open as long as they are. */
export function listenersIn(netns: Netns, { open, onForward, shared = false }: ProxySurroundings): Listeners {
  const undo: (() => void)[] = []
  const keep = (socket: Socket): Socket => {
    open.add(socket)
    return socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket))
  }
  return {
    keep,
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
      keep(client)
      try {
        const fd = connectMarked(netns, to, source)
        join(client, keep(new Socket({ fd, allowHalfOpen: true })))
        onForward({ direction, from: plain(client.remoteAddress ?? ''), to: written(to) })
      } catch {
        client.destroy()
      }
    },
    close() {
      for (const step of undo.splice(0).reverse()) step()
    },
  }
}

/** An address of IPv4 on a socket of both families, as it is. */
export const plain = (address: string): string => address.replace(/^::ffff:/, '')

/** The same query over TCP, answered: there is no such name. */
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

const written = ({ address, port }: Endpoint): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`

/** The same query, answered: there is no such name. */
function unknownName(query: Buffer): Buffer {
  const answer = Buffer.from(query)
  if (answer.length >= 4) {
    answer[2] = (answer[2] ?? 0) | 0x80
    answer[3] = 0x83
  }
  return answer
}
