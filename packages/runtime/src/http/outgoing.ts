import { bufferFrom } from '../buffer/buffer.ts'
import { coded, invalidType } from '../errors.ts'
import { host } from '../host.ts'
import type { Socket } from '../net/socket.ts'
import type { Done } from '../stream/stream.ts'
import { Writable } from '../stream/writable.ts'

export type HeaderValue = string | number | readonly string[]
export type Headers = Readonly<Record<string, HeaderValue | undefined>>

const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/
// True if the value of an HTTP header contains invalid characters: control characters except tab, or characters beyond
// latin1.
const isInvalidValue = (value: string): boolean =>
  Array.from(value).some((letter) => (letter < ' ' && letter !== '\t') || letter === '\x7f' || letter > '\xff')

/** HTTP request or response that this process sends. */
export abstract class OutgoingMessage extends Writable {
  headersSent = false
  socket: Socket | null = null
  readonly #headers = new Map<string, readonly [name: string, value: HeaderValue]>()
  #isChunked = false
  #hasNoBody = false

  protected abstract startLine(): string
  /** Returns true if HTTP allows a body for this message. False, for example, for a response with status 204. */
  protected abstract mayHaveBody(): boolean
  /** Headers that the runtime adds to the message unless the program has set them. */
  protected abstract defaults(): readonly (readonly [name: string, value: string])[]

  setHeader(name: string, value: HeaderValue): this {
    if (this.headersSent) {
      throw coded(new Error('Cannot set headers after they are sent to the client'), 'ERR_HTTP_HEADERS_SENT')
    }
    if (!TOKEN.test(name)) {
      throw coded(new TypeError(`Header name must be a valid HTTP token ["${name}"]`), 'ERR_INVALID_HTTP_TOKEN')
    }
    if (value === undefined) {
      throw coded(new TypeError(`Invalid value "undefined" for header "${name}"`), 'ERR_HTTP_INVALID_HEADER_VALUE')
    }
    if (isInvalidValue(String(value))) {
      throw coded(new TypeError(`Invalid character in header content ["${name}"]`), 'ERR_INVALID_CHAR')
    }
    this.#headers.set(name.toLowerCase(), [name, value])
    return this
  }

  getHeader(name: string): HeaderValue | undefined {
    return this.#headers.get(name.toLowerCase())?.[1]
  }

  hasHeader(name: string): boolean {
    return this.#headers.has(name.toLowerCase())
  }

  removeHeader(name: string): void {
    this.#headers.delete(name.toLowerCase())
  }

  getHeaderNames(): string[] {
    return [...this.#headers.keys()]
  }

  getHeaders(): Record<string, HeaderValue> {
    return Object.fromEntries([...this.#headers].map(([name, [, value]]) => [name, value]))
  }

  flushHeaders(): void {
    this.sendHead()
  }

  override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
    if (!this.headersSent && !this.hasHeader('content-length') && !this.hasHeader('transfer-encoding')) {
      const body = typeof chunk === 'function' || chunk === undefined || chunk === null ? '' : chunk
      this.sendHead(sizeOf(body, encoding))
    }
    return super.end(chunk, encoding, callback)
  }

  /** Sends the start line and headers. Chooses chunked encoding for an unknown length. */
  protected sendHead(length?: number): void {
    if (this.headersSent) return
    const lines = [...this.#headers.values()].flatMap(([name, value]) =>
      Array.isArray(value) ? value.map((one) => `${name}: ${one}`) : [`${name}: ${value}`],
    )
    for (const [name, value] of this.defaults()) if (!this.hasHeader(name)) lines.push(`${name}: ${value}`)
    this.#hasNoBody = !this.mayHaveBody()
    const hasFraming = this.hasHeader('content-length') || this.hasHeader('transfer-encoding')
    this.#isChunked = String(this.getHeader('transfer-encoding') ?? '').toLowerCase() === 'chunked'
    if (!hasFraming && this.mayHaveBody()) {
      if (length === undefined) {
        this.#isChunked = true
        lines.push('Transfer-Encoding: chunked')
      } else if (length > 0 || this.announcesEmptyBody()) lines.push(`Content-Length: ${length}`)
    }
    const head = [this.startLine(), ...lines, '', ''].join('\r\n')
    this.headersSent = true
    this.socket?.write(bufferFrom(head, 'latin1'))
  }

  protected announcesEmptyBody(): boolean {
    return true
  }

  override _write(chunk: unknown, _encoding: string, done: Done): void {
    this.sendHead()
    const { socket } = this
    if (socket === null || !(chunk instanceof Uint8Array)) done(coded(new Error('socket hang up'), 'ECONNRESET'))
    else if (chunk.length === 0 || this.#hasNoBody) done()
    else if (!this.#isChunked) socket.write(chunk, done)
    else {
      socket.write(`${chunk.length.toString(16)}\r\n`)
      socket.write(chunk)
      socket.write('\r\n', done)
    }
  }

  override _final(done: Done): void {
    this.sendHead()
    if (this.#isChunked && !this.#hasNoBody) this.socket?.write('0\r\n\r\n')
    done()
  }

  setTimeout(ms: number, listener?: () => void): this {
    this.socket?.setTimeout(ms, listener)
    return this
  }
}

function sizeOf(body: unknown, encoding: unknown): number {
  if (typeof body === 'string') {
    return typeof encoding === 'string' ? bufferFrom(body, encoding).length : host.encode(body).length
  }
  if (body instanceof Uint8Array) return body.length
  throw invalidType('chunk', 'of type string or an instance of Buffer or Uint8Array', body)
}
