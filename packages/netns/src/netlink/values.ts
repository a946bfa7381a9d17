import { NetnsError } from '../handle/netns-error.ts'

/** A 16-bit value. */
export function u16(value: number): Uint8Array {
  return Uint8Array.of(value, value >> 8)
}

/** A 32-bit value. */
export function u32(value: number): Uint8Array {
  return Uint8Array.of(value, value >> 8, value >> 16, value >> 24)
}

/** A 16-bit value in network order. */
export function be16(value: number): Uint8Array {
  return Uint8Array.of(value >> 8, value)
}

/** A 32-bit value in network order. */
export function be32(value: number): Uint8Array {
  return Uint8Array.of(value >> 24, value >> 16, value >> 8, value)
}

/** A 64-bit value in network order. */
export function be64(value: bigint): Uint8Array {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt.asUintN(64, value))
  return bytes
}

/** NUL-terminated text. Throws `NetnsError('INVALID')` for text with a NUL: the kernel would read another name. */
export function cString(text: string): Uint8Array {
  if (text.includes('\0')) throw new NetnsError('INVALID', `Not a name: ${JSON.stringify(text)} contains a NUL`)
  return Buffer.from(`${text}\0`)
}

/** A byte, if the attribute is there and has one. */
export function readU8(bytes: Buffer | undefined): number | undefined {
  return bytes?.[0]
}

/** Whether a byte is set, if the attribute is there and has one. */
export function readFlag(bytes: Buffer | undefined): boolean | undefined {
  const byte = readU8(bytes)
  return byte === undefined ? undefined : byte !== 0
}

/** A 16-bit value, if the attribute is there and long enough. */
export function readU16(bytes: Buffer | undefined): number | undefined {
  return bytes !== undefined && bytes.length >= 2 ? bytes.readUInt16LE(0) : undefined
}

/** A 32-bit value, if the attribute is there and long enough. */
export function readU32(bytes: Buffer | undefined): number | undefined {
  return bytes !== undefined && bytes.length >= 4 ? bytes.readUInt32LE(0) : undefined
}

/** A 16-bit value in network order, if the attribute is there and long enough. */
export function readBe16(bytes: Buffer | undefined): number | undefined {
  return bytes !== undefined && bytes.length >= 2 ? bytes.readUInt16BE(0) : undefined
}

/** A 32-bit value in network order, if the attribute is there and long enough. */
export function readBe32(bytes: Buffer | undefined): number | undefined {
  return bytes !== undefined && bytes.length >= 4 ? bytes.readUInt32BE(0) : undefined
}

/** A 64-bit value in network order, if the attribute is there and long enough. */
export function readBe64(bytes: Buffer | undefined): bigint | undefined {
  return bytes !== undefined && bytes.length >= 8 ? bytes.readBigUInt64BE(0) : undefined
}

/** Text up to its NUL, if the attribute is there. */
export function readCString(bytes: Buffer | undefined): string | undefined {
  if (bytes === undefined) return undefined
  const end = bytes.indexOf(0)
  return bytes.toString('utf8', 0, end === -1 ? bytes.length : end)
}
