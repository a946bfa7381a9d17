import { Buffer } from '../buffer/buffer.ts'
import { StringDecoder } from '../buffer/string-decoder.ts'

const isBytes = (chunk: unknown): chunk is Uint8Array => chunk instanceof Uint8Array

/** Queue of unread data of a stream: bytes, text after `setEncoding`, or objects. */
export class Chunks {
  readonly #objectMode: boolean
  #chunks: unknown[] = []
  #decoder: StringDecoder | undefined
  length = 0

  constructor(objectMode: boolean) {
    this.#objectMode = objectMode
  }

  /** Converts the stream's unread data, and all later data, from bytes to text. Returns the name of the encoding. */
  decode(encoding: string): string {
    const decoder = new StringDecoder(encoding)
    this.#decoder = decoder
    const text = this.#chunks.map((chunk) => (isBytes(chunk) ? decoder.write(chunk) : chunk)).join('')
    this.#replace(text)
    return decoder.encoding
  }

  add(chunk: unknown): void {
    this.#put(this.#decoder !== undefined && isBytes(chunk) ? this.#decoder.write(chunk) : chunk)
  }

  /** Adds an incomplete last character to the stream's text, when the stream has ended. */
  end(): void {
    if (this.#decoder !== undefined) this.#put(this.#decoder.end())
  }

  putBack(chunk: unknown): void {
    this.#chunks.unshift(chunk)
    this.length += this.#sizeOf(chunk)
  }

  /** Removes and returns the first chunk of the stream's unread data. Returns `null` if there is no data. */
  takeFirst(): unknown {
    if (this.#chunks.length === 0) return null
    const first = this.#chunks.shift()
    this.length -= this.#sizeOf(first)
    return first
  }

  /** Removes and returns all unread data of the stream, or its first `size` bytes. */
  takeAll(size?: number): unknown {
    if (this.#chunks.length === 0) return null
    if (this.#objectMode) return this.takeFirst()
    const all = this.#decoder === undefined ? Buffer.concat(this.#chunks.filter(isBytes)) : this.#chunks.join('')
    const taken = size === undefined ? all : all.slice(0, size)
    this.#replace(all.slice(taken.length))
    return taken
  }

  #put(chunk: unknown): void {
    const size = this.#sizeOf(chunk)
    if (size === 0) return
    this.#chunks.push(chunk)
    this.length += size
  }

  #replace(rest: string | Uint8Array): void {
    this.#chunks = rest.length === 0 ? [] : [rest]
    this.length = rest.length
  }

  #sizeOf(chunk: unknown): number {
    if (this.#objectMode) return 1
    return typeof chunk === 'string' || isBytes(chunk) ? chunk.length : 0
  }
}
