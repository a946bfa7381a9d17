/**
 * The same batch, to be refused unless the rules are those of a generation; `undefined` for bytes that are no batch of
 * nf_tables with a place for that. They come from another process.
 */
export function withGeneration(batch: Uint8Array, generation: number): Buffer | undefined {
  const bytes = Buffer.from(batch)
  if (!isBatch(bytes)) return undefined
  bytes.writeUInt32BE(generation, GENERATION_AT)
  return bytes
}

// internal

const HEADER = 16
const BEGIN = 0x10
const END = 0x11
/** `nfgenmsg` is behind the header of the first message, then comes the attribute. */
const ATTRIBUTE_AT = HEADER + 4
const GENERATION_AT = ATTRIBUTE_AT + 4
const BEGIN_LENGTH = GENERATION_AT + 4
const GENERATION = (1 << 16) | 8
const NF_TABLES = 10

function isBatch(bytes: Buffer): boolean {
  if (bytes.length < BEGIN_LENGTH + HEADER || bytes.readUInt32LE(0) !== BEGIN_LENGTH) return false
  if (bytes.readUInt16LE(4) !== BEGIN || bytes.readUInt32LE(ATTRIBUTE_AT) !== GENERATION) return false
  let last = BEGIN
  for (let at = BEGIN_LENGTH; at < bytes.length; ) {
    const length = bytes.length - at < HEADER ? 0 : bytes.readUInt32LE(at)
    if (length < HEADER || length % 4 !== 0 || at + length > bytes.length || last === END) return false
    last = bytes.readUInt16LE(at + 4)
    if (last !== END && last >> 8 !== NF_TABLES) return false
    at += length
  }
  return last === END
}
