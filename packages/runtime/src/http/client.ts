import { bufferFrom } from '../buffer/buffer.ts'
import { coded } from '../errors.ts'
import { Socket } from '../net/socket.ts'
import type { Done } from '../stream/stream.ts'
import { IncomingMessage } from './incoming.ts'
import { type Headers, OutgoingMessage } from './outgoing.ts'
import { type Body, bodyOf, type Head, Parser } from './parser.ts'

export interface RequestOptions {
  readonly protocol?: string
  readonly socketPath?: string
  readonly host?: string
  readonly hostname?: string
  readonly port?: number | string
  readonly path?: string
  readonly method?: string
  readonly headers?: Headers
  readonly auth?: string
  readonly timeout?: number
  readonly signal?: AbortSignal
  readonly setHost?: boolean
}

/** Function that opens the connection of an HTTP or HTTPS request. */
export interface Transport {
  readonly protocol: 'http:' | 'https:'
  readonly port: number
  open(host: string, port: number, options: RequestOptions): Socket
}

const plain: Transport = {
  protocol: 'http:',
  port: 80,
  open: (host, port, { socketPath }) =>
    new Socket().connectTo(socketPath === undefined ? { host, port } : { path: socketPath }),
}

const WITHOUT_BODY = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'])
const hangUp = (text = 'socket hang up'): Error => coded(new Error(text), 'ECONNRESET')

/** HTTP request of a client. Each request opens its own connection. */
export class ClientRequest extends OutgoingMessage {
  readonly method: string
  readonly path: string
  readonly host: string
  readonly protocol: Transport['protocol']
  readonly reusedSocket = false
  aborted = false
  readonly #options: RequestOptions
  readonly #transport: Transport
  #response: IncomingMessage | undefined

  constructor(options: RequestOptions, listener?: (response: IncomingMessage) => void, transport = plain) {
    super({ autoDestroy: false, ...(options.signal === undefined ? {} : { signal: options.signal }) })
    if (options.protocol !== undefined && options.protocol !== transport.protocol) {
      const message = `Protocol "${options.protocol}" not supported. Expected "${transport.protocol}"`
      throw coded(new TypeError(message), 'ERR_INVALID_PROTOCOL')
    }
    this.#options = options
    this.#transport = transport
    this.protocol = transport.protocol
    this.method = (options.method ?? 'GET').toUpperCase()
    this.path = options.path ?? '/'
    if (/[^\x21-\xff]/.test(this.path)) {
      throw coded(new TypeError('Request path contains unescaped characters'), 'ERR_UNESCAPED_CHARACTERS')
    }
    this.host = options.hostname ?? options.host ?? 'localhost'
    for (const [name, value] of Object.entries(options.headers ?? {}))
      if (value !== undefined) this.setHeader(name, value)
    if (listener !== undefined) this.once('response', listener)
    this.#connect()
  }

  abort(): void {
    this.aborted = true
    this.destroy()
  }

  setNoDelay(isOn?: boolean): void {
    this.socket?.setNoDelay(isOn)
  }

  setSocketKeepAlive(isOn?: boolean): void {
    this.socket?.setKeepAlive(isOn)
  }

  override _destroy(error: Error | null, done: Done): void {
    this.socket?.destroy()
    const response = this.#response
    if (response === undefined) done(error ?? hangUp())
    else {
      if (!response.complete) response.destroy(error ?? hangUp('aborted'))
      done(error)
    }
  }

  protected startLine(): string {
    return `${this.method} ${this.path} HTTP/1.1`
  }

  protected mayHaveBody(): boolean {
    return true
  }

  protected override announcesEmptyBody(): boolean {
    return !WITHOUT_BODY.has(this.method)
  }

  protected defaults(): readonly (readonly [string, string])[] {
    const { auth, port, setHost = true } = this.#options
    const name = this.host.includes(':') ? `[${this.host}]` : this.host
    const host = port === undefined || Number(port) === this.#transport.port ? name : `${name}:${port}`
    return [
      ...(setHost ? [['Host', host] as const] : []),
      ...(auth === undefined ? [] : [['Authorization', `Basic ${bufferFrom(auth).toString('base64')}`] as const]),
      ['Connection', 'close'],
    ]
  }

  #connect(): void {
    const { port, timeout } = this.#options
    const socket = this.#transport.open(this.host, Number(port ?? this.#transport.port), this.#options)
    this.socket = socket
    if (timeout !== undefined) socket.setTimeout(timeout)
    socket.on('timeout', () => this.emit('timeout'))
    const parser = new Parser({
      head: (head) => this.#respond(socket, head),
      body: (bytes) => {
        if (this.#response?.push(bytes) === false) socket.pause()
      },
      end: () => this.#complete(socket),
    })
    socket.on('data', (bytes: Uint8Array) => this.#guard(() => parser.push(bytes)))
    socket.on('end', () => this.#guard(() => parser.finish()))
    socket.on('error', (error: Error) => void this.destroy(error))
    socket.on('close', () => void this.destroy(this.#response === undefined ? hangUp() : undefined))
    queueMicrotask(() => this.emit('socket', socket))
  }

  #guard(action: () => void): void {
    try {
      action()
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #respond(socket: Socket, head: Head): Body {
    const response = new IncomingMessage(socket, head)
    const { statusCode: status } = response
    if (status === undefined) throw coded(new Error('Parse Error: Expected HTTP/'), 'HPE_INVALID_CONSTANT')
    if (status < 200) {
      this.emit(status === 100 ? 'continue' : 'information', response)
      return 0
    }
    this.#response = response
    response.once('close', () => this.destroy())
    if (!this.emit('response', response)) response.resume()
    return this.method === 'HEAD' || status === 204 || status === 304 ? 0 : bodyOf(head, true)
  }

  #complete(socket: Socket): void {
    if (this.#response === undefined) return
    this.#response.complete = true
    this.#response.push(null)
    socket.end()
  }
}
