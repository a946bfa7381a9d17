import { NetnsError } from '../handle/netns-error.ts'

/** Encodes a 16-bit number in host byte order. */
export function u16(value: number): Uint8Array {
  return Uint8Array.of(value, value >> 8)
}

/** Encodes a 32-bit number in host byte order. */
export function u32(value: number): Uint8Array {
  return Uint8Array.of(value, value >> 8, value >> 16, value >> 24)
}

/** Encodes a 16-bit number in network byte order. */
export function be16(value: number): Uint8Array {
  return Uint8Array.of(value >> 8, value)
}

/** Encodes a 32-bit number in network byte order. */
export function be32(value: number): Uint8Array {
  return Uint8Array.of(value >> 24, value >> 16, value >> 8, value)
}

/** Encodes a 64-bit number in network byte order. */
export function be64(value: bigint): Uint8Array {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt.asUintN(64, value))
  return bytes
}

/**
 * Encodes NUL-terminated text. Throws `NetnsError('INVALID')` for text with a NUL: the kernel would read a shorter
 * name.
 */
export function cString(text: string): Uint8Array {
  if (text.includes('\0')) throw new NetnsError('INVALID', `Invalid text: ${JSON.stringify(text)} contains a NUL`)
  return Buffer.from(`${text}\0`)
}

/** Reads an attribute value of one byte as a number. Returns `undefined` if the attribute is missing or empty. */
export function readU8(bytes: Buffer | undefined): number | undefined {
  return bytes?.[0]
}

/** Reads an attribute value of one byte as a boolean. Returns `undefined` if the attribute is missing or empty. */
export function readFlag(bytes: Buffer | undefined): boolean | undefined {
  const byte = readU8(bytes)
  return byte === undefined ? undefined : byte !== 0
}

/**
 * Reads an attribute value of 16 bits in host byte order. Returns `undefined` if the attribute is missing or too short.
 */
export function readU16(bytes: Buffer | undefined): number | undefined {
  return bytes !== undefined && bytes.length >= 2 ? bytes.readUInt16LE(0) : undefined
}

/**
 * Reads an attribute value of 32 bits in host byte order. Returns `undefined` if the attribute is missing or too short.
 */
export function readU32(bytes: Buffer | undefined): number | undefined {
  return bytes !== undefined && bytes.length >= 4 ? bytes.readUInt32LE(0) : undefined
}

/** Reads an attribute value of 16 bits in network byte order. Returns `undefined` for a missing or too short value. */
export function readBe16(bytes: Buffer | undefined): number | undefined {
  return bytes !== undefined && bytes.length >= 2 ? bytes.readUInt16BE(0) : undefined
}

/** Reads an attribute value of 32 bits in network byte order. Returns `undefined` for a missing or too short value. */
export function readBe32(bytes: Buffer | undefined): number | undefined {
  return bytes !== undefined && bytes.length >= 4 ? bytes.readUInt32BE(0) : undefined
}

/** Reads an attribute value of 64 bits in network byte order. Returns `undefined` for a missing or too short value. */
export function readBe64(bytes: Buffer | undefined): bigint | undefined {
  return bytes !== undefined && bytes.length >= 8 ? bytes.readBigUInt64BE(0) : undefined
}

/** Reads the text of a NUL-terminated attribute value. Returns `undefined` if the attribute is missing. */
export function readCString(bytes: Buffer | undefined): string | undefined {
  if (bytes === undefined) return undefined
  const end = bytes.indexOf(0)
  return bytes.toString('utf8', 0, end === -1 ? bytes.length : end)
}
