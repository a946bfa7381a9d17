import { Buffer } from '../buffer/buffer.ts'
import { decodeBytes } from '../buffer/encodings.ts'
import { coded } from '../errors.ts'
import { host } from '../host.ts'

/** Largest size of an HTTP message's start line and headers together in bytes, as in Node. */
const MAX_HEAD = 16 * 1024
const MAX_CHUNK_LINE = 256
const headEnd = Uint8Array.of(13, 10, 13, 10)
const lineEnd = headEnd.subarray(0, 2)
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/

export interface Head {
  readonly startLine: string
  /** HTTP headers as received: name, value, name, value … */
  readonly rawHeaders: readonly string[]
  readonly headers: Readonly<Record<string, string | string[]>>
}

/** Rule for the end of an HTTP body. */
export type Body = number | 'chunked' | 'close'

export interface ParserEvents {
  /** Receives the start line and headers; returns the rule for the body's end. */
  head(head: Head): Body
  body(bytes: Buffer): void
  end(): void
}

const invalid = (what: string, code: string): Error => coded(new Error(`Parse Error: ${what}`), code)

/** Parses HTTP/1 messages from chunks of bytes. Throws for an invalid message. */
export class Parser {
  readonly #events: ParserEvents
  #rest = new Buffer(0)
  #state: 'head' | 'body' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailers' | 'close' = 'head'
  #left = 0

  constructor(events: ParserEvents) {
    this.#events = events
  }

  get isBetweenMessages(): boolean {
    return this.#state === 'head' && this.#rest.length === 0
  }

  push(bytes: Uint8Array): void {
    this.#rest = Buffer.concat([this.#rest, bytes])
    while (this.#step()) {
      // Repeats the parser's step until the parser needs more bytes.
    }
  }

  /** Tells the parser that the connection has ended. Returns false if the last message is incomplete. */
  finish(): boolean {
    if (this.#state !== 'close') return this.isBetweenMessages
    this.#end()
    return true
  }

  #step(): boolean {
    switch (this.#state) {
      case 'head':
        return this.#readHead()
      case 'chunk-size':
        return this.#readChunkSize()
      case 'chunk-end':
        return this.#readChunkEnd()
      case 'trailers':
        return this.#readTrailers()
      default:
        return this.#readBody()
    }
  }

  #take(length: number): Buffer {
    const taken = this.#rest.subarray(0, length)
    this.#rest = this.#rest.subarray(length)
    return taken
  }

  #readHead(): boolean {
    const end = host.find(this.#rest, headEnd, 0)
    if (end > MAX_HEAD || (end < 0 && this.#rest.length > MAX_HEAD)) {
      throw invalid('Header overflow', 'HPE_HEADER_OVERFLOW')
    }
    if (end < 0) return false
    const body = this.#events.head(parseHead(decodeBytes(this.#take(end), 'latin1')))
    this.#take(headEnd.length)
    if (body === 'chunked') this.#state = 'chunk-size'
    else if (body === 'close') this.#state = 'close'
    else this.#startBody(body)
    return true
  }

  #startBody(length: number): void {
    this.#left = length
    this.#state = 'body'
    if (length === 0) this.#end()
  }

  #readBody(): boolean {
    if (this.#rest.length === 0) return false
    const part = this.#take(this.#state === 'close' ? this.#rest.length : Math.min(this.#left, this.#rest.length))
    this.#events.body(part)
    if (this.#state === 'close') return false
    this.#left -= part.length
    if (this.#left > 0) return false
    if (this.#state === 'chunk') this.#state = 'chunk-end'
    else this.#end()
    return true
  }

  #line(): string | undefined {
    const end = host.find(this.#rest, lineEnd, 0)
    if (end < 0 && this.#rest.length > MAX_CHUNK_LINE) throw invalid('Invalid chunk', 'HPE_INVALID_CHUNK_SIZE')
    if (end < 0) return undefined
    const line = decodeBytes(this.#take(end), 'latin1')
    this.#take(lineEnd.length)
    return line
  }

  #readChunkSize(): boolean {
    const line = this.#line()
    if (line === undefined) return false
    const size = /^([\da-f]{1,12})[\t ]*(;.*)?$/i.exec(line)?.[1]
    if (size === undefined) throw invalid('Invalid character in chunk size', 'HPE_INVALID_CHUNK_SIZE')
    this.#left = Number.parseInt(size, 16)
    this.#state = this.#left === 0 ? 'trailers' : 'chunk'
    return true
  }

  #readChunkEnd(): boolean {
    const line = this.#line()
    if (line === undefined) return false
    if (line !== '') throw invalid('Expected LF after chunk data', 'HPE_STRICT')
    this.#state = 'chunk-size'
    return true
  }

  /** Skips the trailers, the headers after the last chunk of a body. */
  #readTrailers(): boolean {
    const line = this.#line()
    if (line === undefined) return false
    if (line === '') this.#end()
    return true
  }

  #end(): void {
    this.#state = 'head'
    this.#events.end()
  }
}

function parseHead(text: string): Head {
  const [startLine = '', ...lines] = text.split('\r\n')
  const rawHeaders: string[] = []
  const headers: Record<string, string | string[]> = {}
  for (const line of lines) {
    const at = line.indexOf(':')
    const name = line.slice(0, Math.max(0, at))
    if (!TOKEN.test(name)) throw invalid('Invalid header token', 'HPE_INVALID_HEADER_TOKEN')
    const value = line.slice(at + 1).replace(/^[\t ]+|[\t ]+$/g, '')
    if (/[\0\r\n]/.test(value)) throw invalid('Invalid header value char', 'HPE_INVALID_HEADER_TOKEN')
    rawHeaders.push(name, value)
    addHeader(headers, name.toLowerCase(), value)
  }
  return { startLine, rawHeaders, headers }
}

/** HTTP headers of which only the first value counts if a message repeats them. */
const single = new Set(
  'age authorization content-length content-type etag expires from host if-modified-since if-unmodified-since last-modified location max-forwards proxy-authorization referer retry-after server user-agent'.split(
    ' ',
  ),
)

function addHeader(headers: Record<string, string | string[]>, name: string, value: string): void {
  const before = Object.hasOwn(headers, name) ? headers[name] : undefined
  if (name === 'set-cookie') headers[name] = [...(Array.isArray(before) ? before : []), value]
  else if (before === undefined) headers[name] = value
  else if (!single.has(name)) headers[name] = `${String(before)}${name === 'cookie' ? '; ' : ', '}${value}`
}

/** Determines the end of an HTTP body from the headers. */
export function bodyOf({ headers }: Head, isResponse: boolean): Body {
  const coding = String(headers['transfer-encoding'] ?? '').toLowerCase()
  const length = headers['content-length']
  if (coding !== '') {
    if (length !== undefined)
      throw invalid("Content-Length can't be present with Transfer-Encoding", 'HPE_INVALID_TRANSFER_ENCODING')
    return coding.split(',').at(-1)?.trim() === 'chunked' ? 'chunked' : 'close'
  }
  if (length === undefined) return isResponse ? 'close' : 0
  if (!/^\d{1,15}$/.test(String(length)))
    throw invalid('Invalid character in Content-Length', 'HPE_INVALID_CONTENT_LENGTH')
  return Number(length)
}
