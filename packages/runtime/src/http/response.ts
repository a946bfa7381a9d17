import { coded } from '../errors.ts'
import type { IncomingMessage } from './incoming.ts'
import { type Headers, OutgoingMessage } from './outgoing.ts'
import { STATUS_CODES } from './status-codes.ts'

/** HTTP response that a server sends. */
export class ServerResponse extends OutgoingMessage {
  readonly req: IncomingMessage
  statusCode = 200
  statusMessage: string | undefined
  sendDate = true
  readonly #mayKeepAlive: boolean

  constructor(request: IncomingMessage, mayKeepAlive: boolean) {
    super({ autoDestroy: false })
    this.req = request
    this.socket = request.socket
    const wanted = String(request.headers.connection ?? '').toLowerCase()
    this.#mayKeepAlive = mayKeepAlive && request.httpVersion === '1.1' && !wanted.includes('close')
  }

  /** Returns true if the HTTP connection stays open for another request after this response. */
  get keepsAlive(): boolean {
    return this.#mayKeepAlive && !/close/i.test(String(this.getHeader('connection') ?? ''))
  }

  writeHead(status: number, second?: string | Headers, third?: Headers): this {
    if (this.headersSent) {
      throw coded(new Error('Cannot write headers after they are sent to the client'), 'ERR_HTTP_HEADERS_SENT')
    }
    if (!Number.isInteger(status) || status < 100 || status > 999) {
      throw coded(new RangeError(`Invalid status code: ${status}`), 'ERR_HTTP_INVALID_STATUS_CODE')
    }
    this.statusCode = status
    if (typeof second === 'string') this.statusMessage = second
    const headers = typeof second === 'string' ? third : second
    for (const [name, value] of Object.entries(headers ?? {})) if (value !== undefined) this.setHeader(name, value)
    return this
  }

  writeContinue(): void {
    this.socket?.write('HTTP/1.1 100 Continue\r\n\r\n')
  }

  protected startLine(): string {
    return `HTTP/1.1 ${this.statusCode} ${this.statusMessage ?? STATUS_CODES[this.statusCode] ?? 'unknown'}`
  }

  protected mayHaveBody(): boolean {
    return this.req.method !== 'HEAD' && this.statusCode !== 204 && this.statusCode !== 304
  }

  protected defaults(): readonly (readonly [string, string])[] {
    return [
      ...(this.sendDate ? [['Date', new Date().toUTCString()] as const] : []),
      ['Connection', this.#mayKeepAlive ? 'keep-alive' : 'close'],
    ]
  }
}
