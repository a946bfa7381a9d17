import { createServer, type RequestListener, type Server } from 'node:http'
import { type BoundedOptions, boundConnections } from './bounded-connections.ts'

/** HTTP server with limited connections. The limits of Node.js and Bun could refuse the kubelet. */
export function boundedServer(handle: RequestListener, options?: BoundedOptions): Server {
  const server = createServer((request, response) => {
    const { socket } = request
    // Handles only the first request on a connection. Ignores later requests, but counts their memory.
    if (connections.phaseOf(socket) !== 'silent') return void connections.received(socket, REQUEST_BYTES)
    connections.set(socket, 'asking')
    request.on('data', (chunk: Buffer) => connections.received(socket, chunk.length))
    response.once('finish', () => connections.set(socket, 'answered'))
    response.setHeader('connection', 'close')
    handle(request, response)
  })
  const connections = boundConnections(server, options)
  return server
}

/** Number of bytes that the server counts for each request after a connection's first one. */
const REQUEST_BYTES = 4096
