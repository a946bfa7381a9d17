/**
 * A frame: two lengths of 32 bits, little-endian, then as many bytes of JSON, then as many of whatever the JSON is about.
 * Bytes are not put into JSON: a batch would be a third longer, and take as long to decode as all the rest.
 */
export interface Frame {
  readonly json: string
  readonly bytes: Uint8Array
}

const HEADER = 8

/** A frame as it is sent. */
export function encodeFrame(head: unknown, bytes: Uint8Array = new Uint8Array()): Buffer {
  const json = Buffer.from(JSON.stringify(head))
  const frame = Buffer.alloc(HEADER + json.length + bytes.length)
  frame.writeUInt32LE(json.length, 0)
  frame.writeUInt32LE(bytes.length, 4)
  frame.set(json, HEADER)
  frame.set(bytes, HEADER + json.length)
  return frame
}

/** Puts together what a stream brings in pieces. */
export class FrameReader {
  readonly #limit: number
  #pieces: Buffer[] = []
  #length = 0

  /** @param limit - the longest frame, in bytes */
  constructor(limit: number) {
    this.#limit = limit
  }

  /**
   * Takes a piece; the frame that is complete with it, if one is. What comes behind a frame is kept for the next.
   *
   * @throws RangeError for a frame that is too long, as soon as its lengths say so.
   */
  push(piece: Uint8Array): Frame | undefined {
    this.#pieces.push(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength))
    this.#length += piece.byteLength
    if (this.#length < HEADER) return undefined
    if (this.#pieces.length > 1 && this.#pieces[0] !== undefined && this.#pieces[0].length < HEADER) this.#join()
    const [first] = this.#pieces
    if (first === undefined) return undefined
    const json = first.readUInt32LE(0)
    const end = HEADER + json + first.readUInt32LE(4)
    if (end > this.#limit) throw new RangeError(`a frame of ${end} bytes: at most ${this.#limit} are taken`)
    if (this.#length < end) return undefined
    const all = this.#join()
    const rest = all.subarray(end)
    this.#pieces = rest.length === 0 ? [] : [rest]
    this.#length = rest.length
    return { json: all.toString('utf8', HEADER, HEADER + json), bytes: all.subarray(HEADER + json, end) }
  }

  /** Whether a frame has begun, and is not complete. */
  get isHalf(): boolean {
    return this.#length > 0
  }

  #join(): Buffer {
    const [first] = this.#pieces
    const all = this.#pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.#pieces)
    this.#pieces = [all]
    return all
  }
}
