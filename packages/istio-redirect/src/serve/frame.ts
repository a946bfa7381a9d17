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
export function encodeFrame(head: unknown, bytes: Uint8Array = new Uint8Array()): Uint8Array {
  // No `Buffer` in this file: to name it takes a plugin 0.1 ms, and its first use as long again.
  const json = new TextEncoder().encode(JSON.stringify(head))
  const frame = new Uint8Array(HEADER + json.length + bytes.length)
  const header = new DataView(frame.buffer)
  header.setUint32(0, json.length, true)
  header.setUint32(4, bytes.length, true)
  frame.set(json, HEADER)
  frame.set(bytes, HEADER + json.length)
  return frame
}

/** Puts together what a stream brings in pieces. */
export interface FrameReader {
  /**
   * Takes a piece; the frame that is complete with it, if one is. What comes behind a frame is kept for the next.
   *
   * @throws RangeError for a frame that is too long, as soon as its lengths say so.
   */
  push(piece: Uint8Array): Frame | undefined
  /** Whether a frame has begun, and is not complete. */
  isHalf(): boolean
}

/** @param limit - the longest frame, in bytes */
export function frameReader(limit: number): FrameReader {
  let pieces: Uint8Array[] = []
  let length = 0
  const joined = (): Uint8Array => {
    const [first] = pieces
    if (pieces.length === 1 && first !== undefined) return first
    const all = new Uint8Array(length)
    let at = 0
    for (const piece of pieces) {
      all.set(piece, at)
      at += piece.length
    }
    pieces = [all]
    return all
  }
  return {
    push(piece) {
      if (piece.length > 0) pieces.push(piece)
      length += piece.length
      if (length < HEADER) return undefined
      const first = (pieces[0]?.length ?? 0) < HEADER ? joined() : pieces[0]
      if (first === undefined) return undefined
      const header = new DataView(first.buffer, first.byteOffset)
      const json = header.getUint32(0, true)
      const end = HEADER + json + header.getUint32(4, true)
      if (end > limit) throw new RangeError(`a frame of ${end} bytes: at most ${limit} are taken`)
      if (length < end) return undefined
      const all = joined()
      length -= end
      pieces = length === 0 ? [] : [all.subarray(end)]
      return { json: utf8(all.subarray(HEADER, HEADER + json)), bytes: all.subarray(HEADER + json, end) }
    },
    isHalf: () => length > 0,
  }
}

// internal

const utf8 = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
