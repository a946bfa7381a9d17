/**
 * DER encoders (X.690) for the ASN.1 types in a certificate. Every function returns one complete TLV (tag, length,
 * value).
 */

const tlv = (tag: number, ...content: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(content)
  return Buffer.concat([Buffer.from([tag]), length(body.length), body])
}

const length = (size: number): Buffer => {
  if (size < 0x80) return Buffer.from([size])
  const bytes = bigEndian(BigInt(size))
  return Buffer.from([0x80 | bytes.length, ...bytes])
}

const bigEndian = (value: bigint): number[] => {
  const bytes: number[] = []
  for (let rest = value; rest > 0n; rest >>= 8n) bytes.unshift(Number(rest & 0xffn))
  return bytes.length === 0 ? [0] : bytes
}

export const sequence = (...items: readonly Uint8Array[]): Buffer => tlv(0x30, ...items)

export const set = (...items: readonly Uint8Array[]): Buffer => tlv(0x31, ...items)

export const octetString = (content: Uint8Array): Buffer => tlv(0x04, content)

export const utf8String = (text: string): Buffer => tlv(0x0c, Buffer.from(text, 'utf8'))

/** Encodes a DER bit string. The first content byte is the number of unused bits, by default 0. */
export const bitString = (content: Uint8Array, unusedBits = 0): Buffer => tlv(0x03, Buffer.from([unusedBits]), content)

/**
 * Encodes the DER boolean true. There is no encoder for false: in certificates, false is the default, which DER omits.
 */
export const asn1True = (): Buffer => tlv(0x01, Buffer.from([0xff]))

export const asn1Null = (): Buffer => tlv(0x05)

/** Encodes content with the context-specific tag `[n]`. Content is DER values (`constructed`) or raw bytes. */
export const tagged = (n: number, content: Uint8Array, form: 'constructed' | 'primitive' = 'constructed'): Buffer =>
  tlv((form === 'constructed' ? 0xa0 : 0x80) | n, content)

/** Encodes a non-negative integer in DER. A leading zero keeps the integer positive. */
export const integer = (value: bigint): Buffer => {
  const bytes = bigEndian(value)
  return tlv(0x02, Buffer.from((bytes[0] ?? 0) >= 0x80 ? [0, ...bytes] : bytes))
}

/** Encodes an object identifier, given in dotted notation, in DER. */
export const oid = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return tlv(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

const base128 = (arc: number): number[] => {
  const bytes = [arc & 0x7f]
  for (let rest = arc >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80)
  return bytes
}

/** Encodes a date in DER: UTCTime until 2049, then GeneralizedTime, as in RFC 5280 section 4.1.2.5. */
export const time = (at: Date): Buffer => {
  const digits = at.toISOString().replace(/[-:T]|\.\d+/g, '')
  return at.getUTCFullYear() < 2050
    ? tlv(0x17, Buffer.from(digits.slice(2), 'latin1'))
    : tlv(0x18, Buffer.from(digits, 'latin1'))
}
