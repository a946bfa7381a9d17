import { decodeBytes, type Encoding, encodingOf } from './encodings.ts'
import { cutOff } from './utf8-tail.ts'

/** Decodes chunks as text. An incomplete character waits for the next chunk. */
export class StringDecoder {
  readonly encoding: Encoding
  #rest: Uint8Array = new Uint8Array(0)

  constructor(encoding?: string) {
    this.encoding = encodingOf(encoding)
  }

  write(chunk: Uint8Array | string): string {
    if (typeof chunk === 'string') return chunk
    const bytes = new Uint8Array(this.#rest.length + chunk.length)
    bytes.set(this.#rest)
    bytes.set(chunk, this.#rest.length)
    const end = bytes.length - incomplete(bytes, this.encoding)
    this.#rest = bytes.slice(end)
    return decodeBytes(bytes.subarray(0, end), this.encoding)
  }

  end(chunk?: Uint8Array | string): string {
    const text = chunk === undefined ? '' : this.write(chunk)
    const rest = this.#rest
    this.#rest = new Uint8Array(0)
    return text + decodeBytes(rest, this.encoding)
  }
}

/** Counts the bytes at the end of a chunk that form an incomplete character (UTF-8, UTF-16) or base64 group. */
function incomplete(bytes: Uint8Array, encoding: Encoding): number {
  if (encoding === 'utf8') return cutOff(bytes, false)
  if (encoding === 'utf16le') return bytes.length % 2
  return encoding === 'base64' || encoding === 'base64url' ? bytes.length % 3 : 0
}
