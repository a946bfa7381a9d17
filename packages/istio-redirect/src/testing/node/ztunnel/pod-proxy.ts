import { createSocket, type Socket as Datagrams } from 'node:dgram'
import { createServer, type Server, Socket } from 'node:net'
import type { Netns } from '@cni/netns'
import { HBONE_PORT, INBOUND_PORT, OUTBOUND_PORT, QUERY_PORT } from '../../../agent/ambient/ztunnel.ts'
import { originalDestination } from '../processes/original-destination.ts'
import { BindError, boundSocket, connectMarked } from './marked-sockets.ts'

/** A connection that passed through ztunnel. */
export interface Forwarded {
  readonly direction: 'inbound' | 'outbound'
  readonly from: string
  readonly to: string
}

/** What the pods of one ztunnel share. */
export interface ProxySurroundings {
  /** Both sides of each connection, as long as it is open. */
  readonly open: Set<Socket>
  readonly onForward: (connection: Forwarded) => void
}

/**
 * Listens in a pod as ztunnel does, and passes on in plain text what the rules lead there: outbound connections go to
 * where they wanted, inbound ones to the pod, with the address of whoever connected. HBONE is not spoken, and no name is
 * known. Takes over the namespace. Returns what ends it: nobody can connect any more, but connections go on. Throws a
 * `BindError`.
 */
export function podProxy(pod: Netns, { open, onForward }: ProxySurroundings): () => void {
  const undo = [() => pod.close()]
  const close = (): void => {
    for (const step of undo.splice(0).reverse()) step()
  }
  const keep = (socket: Socket): Socket => {
    open.add(socket)
    return socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket))
  }
  const pass = (direction: Forwarded['direction']) => (client: Socket) => {
    keep(client)
    try {
      const to = originalDestination(client)
      const [from, port] = [plain(client.remoteAddress ?? ''), client.localPort]
      // Whoever connects to ztunnel itself wants nothing that it could pass on.
      if (to.port === port) throw new Error('not redirected')
      const fd = connectMarked(pod, to, direction === 'inbound' ? from : undefined)
      join(client, keep(new Socket({ fd, allowHalfOpen: true })))
      onForward({ direction, from, to: written(to) })
    } catch {
      client.destroy()
    }
  }
  const serve = (address: string, port: number, onConnection: (client: Socket) => void): void => {
    const fd = boundSocket(pod, 'tcp', address, port)
    const server: Server = createServer({ allowHalfOpen: true }, onConnection)
    server.listen({ fd })
    undo.push(() => server.close())
  }
  const answer = (address: string): void => {
    const fd = boundSocket(pod, 'udp', address, QUERY_PORT)
    const socket: Datagrams = createSocket(address.includes(':') ? 'udp6' : 'udp4')
    socket.on('error', () => {})
    socket.on('message', (query, from) => socket.send(unknownName(query), from.port, from.address))
    socket.bind({ fd })
    undo.push(() => socket.close())
  }
  try {
    for (const address of ['127.0.0.1', '::1']) {
      try {
        answer(address)
      } catch (error) {
        // The pod has no IPv6.
        if (address === '::1' && error instanceof BindError && error.code === 'EADDRNOTAVAIL') continue
        throw error
      }
      serve(address, QUERY_PORT, (client) => keep(client).on('data', (query) => client.end(overTcp(query))))
    }
    serve('::', INBOUND_PORT, pass('inbound'))
    serve('::', OUTBOUND_PORT, pass('outbound'))
    serve('::', HBONE_PORT, (client) => keep(client).destroy())
  } catch (error) {
    close()
    throw error
  }
  return close
}

// internal

function join(client: Socket, server: Socket): void {
  client.pipe(server)
  server.pipe(client)
  client.on('close', () => server.destroy())
  server.on('close', () => client.destroy())
}

const plain = (address: string): string => address.replace(/^::ffff:/, '')

const written = ({ address, port }: { address: string; port: number }): string =>
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

const overTcp = (query: Buffer | string): Buffer => {
  const bytes = Buffer.from(query)
  return Buffer.concat([bytes.subarray(0, 2), unknownName(bytes.subarray(2))])
}
