import type { Socket } from '../net/socket.ts'
import { Readable } from '../stream/readable.ts'
import type { Done } from '../stream/stream.ts'
import type { Head } from './parser.ts'

/** Received HTTP message: a request in a server, or a response in a client. */
export class IncomingMessage extends Readable {
  readonly socket: Socket
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly rawHeaders: readonly string[]
  readonly trailers = {}
  readonly httpVersion: string
  readonly method: string | undefined
  readonly url: string | undefined
  readonly statusCode: number | undefined
  readonly statusMessage: string | undefined
  complete = false
  aborted = false

  constructor(socket: Socket, { startLine, headers, rawHeaders }: Head) {
    super()
    this.socket = socket
    this.headers = headers
    this.rawHeaders = rawHeaders
    const [, responseVersion, status, reason] = /^HTTP\/(\d\.\d) (\d{3})(?: (.*))?$/.exec(startLine) ?? []
    const [, method, url, requestVersion] = /^([A-Z-]+) (\S+) HTTP\/(\d\.\d)$/.exec(startLine) ?? []
    this.httpVersion = responseVersion ?? requestVersion ?? ''
    this.method = method
    this.url = url
    this.statusCode = status === undefined ? undefined : Number(status)
    this.statusMessage = status === undefined ? undefined : (reason ?? '')
  }

  get connection(): Socket {
    return this.socket
  }

  /** Continues reading from the HTTP connection when the message's buffer has room. */
  override _read(): void {
    this.socket.resume()
  }

  override _destroy(error: Error | null, done: Done): void {
    if (!this.complete) {
      this.aborted = true
      this.socket.destroy()
    }
    done(error)
  }

  setTimeout(ms: number, listener?: () => void): this {
    this.socket.setTimeout(ms, listener)
    return this
  }
}
