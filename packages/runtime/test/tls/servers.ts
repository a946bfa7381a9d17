import { once } from 'node:events'
import { createServer as createHttpsServer, type ServerOptions } from 'node:https'
import { createServer, type Server, type Socket } from 'node:net'

/** TCP or HTTPS server for a test. `await using` closes the server with all its connections. */
export interface TestServer extends AsyncDisposable {
  readonly port: number
}

/** Starts Node's own HTTPS server, which answers with the parts of each request. */
export function httpsServer(options: ServerOptions, host = '127.0.0.1'): Promise<TestServer> {
  const server = createHttpsServer(options, (message, response) => {
    let body = ''
    message.on('data', (chunk) => {
      body += chunk
    })
    message.on('end', () => {
      if (message.url === '/never') return
      if (message.url === '/cut') response.write('part', () => response.socket?.destroy())
      else if (message.url === '/large') response.end(Buffer.alloc(5_000_000, 'x'))
      else response.end(`${message.method} ${message.url} ${body.length}`)
    })
  })
  // Ignores errors of TLS handshakes on the server, because the tests check the client's error.
  server.on('tlsClientError', () => {})
  return listening(server, host)
}

/** Starts a TCP server for a test that calls `serve` for each connection. */
export function rawServer(serve: (socket: Socket) => void): Promise<TestServer> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    serve(socket)
  })
  return listening(server, '127.0.0.1')
}

async function listening(server: Server, host: string): Promise<TestServer> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, host)
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    port: address.port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
