import { createServer, type RequestListener, type Server } from 'node:http'
import { type BoundedOptions, boundConnections } from './bounded-connections.ts'

/**
 * An HTTP server with bounded connections. A connection has one request, for every client of the agent asks once in a
 * while. The runtimes' own limits are of no use here: theirs refuse whoever comes last, which is kubelet.
 */
export function boundedServer(handle: RequestListener, options?: BoundedOptions): Server {
  const server = createServer((request, response) => {
    const { socket } = request
    // closed meanwhile, or a second request of one connection, which the runtime keeps
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

/** What a request without a body counts for. */
const KEPT_BYTES = 4096
