import { createServer, type RequestListener, type Server } from 'node:http'
import { type BoundedOptions, boundConnections } from './bounded-connections.ts'

/**
 * Creates an HTTP server with limited connections. A connection serves one request, because clients of the agent ask
 * rarely. The limits of Node and bun are not used: they refuse the newest connection, which may be kubelet's.
 */
export function boundedServer(handle: RequestListener, options?: BoundedOptions): Server {
  const server = createServer((request, response) => {
    const { socket } = request
    // The connection is closed, or this request is not its first one. Counts the memory of the request and sends no
    // response.
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

/** Bytes that are counted for a further request on the same connection. */
const KEPT_BYTES = 4096
