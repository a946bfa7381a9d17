/** Counts the bytes of an incomplete UTF-8 sequence at the end of a chunk. */
export function cutOff(bytes: Uint8Array, strict = true): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    const length = byte >= 0xf0 && byte <= 0xf4 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1
    if (byte > 0xf4 || length <= back) return 0
    return !strict || isBegun(bytes.subarray(bytes.length - back)) ? back : 0
  }
  return 0
}

/** False for bytes that begin no valid UTF-8 sequence, such as E0 80. */
function isBegun([first = 0, second]: Uint8Array): boolean {
  if (second === undefined) return true
  if (first === 0xe0) return second >= 0xa0
  if (first === 0xed) return second < 0xa0
  if (first === 0xf0) return second >= 0x90
  return first !== 0xf4 || second < 0x90
}
