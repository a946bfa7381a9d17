import { coded } from '../errors.ts'
import type { Listener } from '../events/emitter.ts'
import { Server as NetServer } from '../net/server.ts'
import type { Socket } from '../net/socket.ts'
import { IncomingMessage } from './incoming.ts'
import { bodyOf, type Head, Parser } from './parser.ts'
import { ServerResponse } from './response.ts'

/** HTTP/1.1 server. Answers the requests of a connection one after the other. */
export class Server extends NetServer {
  timeout = 0
  keepAliveTimeout = 5000
  headersTimeout = 60_000
  requestTimeout = 300_000
  readonly #idle = new Set<Socket>()

  constructor(options?: object | Listener, listener?: Listener) {
    super()
    const onRequest = typeof options === 'function' ? (options as Listener) : listener
    if (onRequest !== undefined) this.on('request', onRequest)
    this.on('connection', (socket: Socket) => this.#serve(socket))
  }

  closeAllConnections(): void {
    for (const socket of this.connections) socket.destroy()
  }

  closeIdleConnections(): void {
    for (const socket of this.#idle) socket.destroy()
  }

  override close(callback?: Listener): this {
    this.closeIdleConnections()
    return super.close(callback)
  }

  #serve(socket: Socket): void {
    let request: IncomingMessage | undefined
    const parser = new Parser({
      head: (head) => {
        this.#idle.delete(socket)
        request = this.#begin(socket, head)
        return bodyOf(head, false)
      },
      body: (bytes) => {
        if (request?.push(bytes) === false) socket.pause()
      },
      end: () => {
        if (request === undefined) return
        request.complete = true
        request.push(null)
      },
    })
    this.#idle.add(socket)
    // Closes the connection of a client that sends no complete HTTP request in time.
    socket.setTimeout(this.headersTimeout, () => socket.destroy())
    socket.on('data', (bytes: Uint8Array) => {
      try {
        parser.push(bytes)
      } catch (error) {
        this.#refuse(socket, error)
      }
    })
    socket.on('error', () => {
      // Ignores the error of a client's connection. The event `close` follows, and its listener ends the client's HTTP
      // request.
    })
    socket.on('close', () => {
      this.#idle.delete(socket)
      if (request !== undefined && !request.complete) request.destroy(coded(new Error('aborted'), 'ECONNRESET'))
    })
  }

  #begin(socket: Socket, head: Head): IncomingMessage {
    const request = new IncomingMessage(socket, head)
    if (request.method === undefined)
      throw coded(new Error('Parse Error: Invalid method encountered'), 'HPE_INVALID_METHOD')
    socket.setTimeout(this.timeout)
    const response = new ServerResponse(request, this.listening)
    response.once('finish', () => {
      if (!response.keepsAlive) socket.destroySoon()
      else {
        if (!request.complete) request.resume()
        this.#idle.add(socket)
        socket.setTimeout(this.keepAliveTimeout, () => socket.destroy())
      }
    })
    socket.once('close', () => response.destroy())
    if (head.headers.expect === '100-continue') socket.write('HTTP/1.1 100 Continue\r\n\r\n')
    this.emit('request', request, response)
    return request
  }

  #refuse(socket: Socket, error: unknown): void {
    if (this.listenerCount('clientError') > 0) this.emit('clientError', error, socket)
    else socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n', () => socket.destroy())
  }
}
