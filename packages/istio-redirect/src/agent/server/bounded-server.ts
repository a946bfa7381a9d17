import { createServer, type RequestListener, type Server } from 'node:http'
import { type BoundedOptions, boundConnections } from './bounded-connections.ts'

/**
 * Creates an HTTP server with limited connections. A connection serves one request, because the agent's clients send
 * requests rarely. Does not use the limits of Node and bun, because they would refuse the newest connection. The newest
 * connection may be kubelet's.
 */
export function boundedServer(handle: RequestListener, options?: BoundedOptions): Server {
  const server = createServer((request, response) => {
    const { socket } = request
    // Handles only the first request on an open connection. Any other request gets no response, and only its memory is
    // counted.
    if (connections.phaseOf(socket) !== 'silent') return void connections.received(socket, KEPT_BYTES)
    connections.set(socket, 'asking')
    request.on('data', (chunk: Buffer) => connections.received(socket, chunk.length))
    response.once('finish', () => connections.set(socket, 'answered'))
    response.setHeader('connection', 'close')
    handle(request, response)
  })
  const connections = boundConnections(server, options)
  return server
}

/** Bytes that count for each request after the first one on a connection. */
const KEPT_BYTES = 4096
