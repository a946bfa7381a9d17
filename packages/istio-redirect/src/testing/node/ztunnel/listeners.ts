/** Listeners in a namespace, and the connections through them. */
import { createSocket, type Socket as Datagrams } from 'node:dgram'
import { createServer, type Server, Socket } from 'node:net'
import { QUERY_PORT } from '@cni/istio-rules'
import type { Netns } from '@cni/netns'
import { boundSocket, connectMarked } from './marked-sockets.ts'

/** Connection that passed through ztunnel. */
export interface Forwarded {
  readonly direction: 'inbound' | 'outbound' | 'hbone'
  readonly from: string
  readonly to: string
}

/** State that all listeners of a ztunnel share. */
export interface ProxySurroundings {
  /** Sockets of open connections: one to the client and one to the server for each. */
  readonly open: Set<Socket>
  readonly onForward: (connection: Forwarded) => void
  /** True if another ztunnel may listen on the same addresses, as during an upgrade. */
  readonly shared?: boolean
}

/** Address with a port. */
export interface Endpoint {
  readonly address: string
  readonly port: number
}

/** Listeners of a ztunnel in one namespace. */
export interface Listeners {
  /** Accepts connections, also those to other addresses that rules redirect here. Throws a `BindError`. */
  serve(address: string, port: number, onConnection: (client: Socket) => void): void
  /** Answers all DNS queries with "no such name". Throws a `BindError`. */
  answer(address: string): void
  /** Closes a connection when the stand-in ends. */
  keep(socket: Socket): Socket
  /** Forwards a connection, from the address `source` or its own address, and records it. */
  pass(
    client: Socket,
    connection: { direction: Forwarded['direction']; to: Endpoint; source?: string | undefined },
  ): void
  /** Closes all listeners. Open connections continue. */
  close(): void
}

/** Creates listeners in a namespace. The namespace has to stay open as long as the listeners. */
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

/** Removes the prefix of a mapped IPv4 address, as sockets of both families have it. */
export const plain = (address: string): string => address.replace(/^::ffff:/, '')

/** Answers a DNS query over TCP with "no such name". */
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

/** Answers a DNS query with "no such name". */
function unknownName(query: Buffer): Buffer {
  const answer = Buffer.from(query)
  if (answer.length >= 4) {
    answer[2] = (answer[2] ?? 0) | 0x80
    answer[3] = 0x83
  }
  return answer
}
