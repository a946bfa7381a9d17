import { unknownEncoding } from '../errors.ts'
import { host } from '../host.ts'

export type Encoding = 'utf8' | 'latin1' | 'ascii' | 'hex' | 'base64' | 'base64url' | 'utf16le'

const names: Readonly<Record<string, Encoding>> = {
  utf8: 'utf8',
  'utf-8': 'utf8',
  latin1: 'latin1',
  binary: 'latin1',
  ascii: 'ascii',
  hex: 'hex',
  base64: 'base64',
  base64url: 'base64url',
  utf16le: 'utf16le',
  'utf-16le': 'utf16le',
  ucs2: 'utf16le',
  'ucs-2': 'utf16le',
}

export const findEncoding = (name: string): Encoding | undefined => names[name] ?? names[name.toLowerCase()]

/** Returns Node's name of a text encoding. Default: UTF-8. Throws for an unknown name. */
export function encodingOf(name: unknown): Encoding {
  if (name === undefined || name === null || name === '') return 'utf8'
  const found = findEncoding(String(name))
  if (found === undefined) throw unknownEncoding(String(name))
  return found
}

export function encodeText(text: string, encoding: Encoding): Uint8Array<ArrayBuffer> {
  switch (encoding) {
    case 'utf8':
      return host.encode(text)
    case 'latin1':
    case 'ascii':
      return Uint8Array.from({ length: text.length }, (_, index) => text.charCodeAt(index))
    case 'hex':
      return fromHex(text)
    case 'base64':
    case 'base64url':
      return host.fromBase64(text)
    case 'utf16le':
      return new Uint8Array(Uint16Array.from({ length: text.length }, (_, index) => text.charCodeAt(index)).buffer)
  }
}

export function decodeBytes(bytes: Uint8Array, encoding: Encoding): string {
  switch (encoding) {
    case 'utf8':
      return host.decode(bytes)
    case 'latin1':
      return fromCodes(bytes)
    case 'ascii':
      return fromCodes(bytes.map((byte) => byte & 0x7f))
    case 'hex':
      return toHex(bytes)
    case 'base64':
      return host.toBase64(bytes, false)
    case 'base64url':
      return host.toBase64(bytes, true)
    case 'utf16le':
      return fromCodes(Uint16Array.from({ length: bytes.length >> 1 }, (_, index) => unitAt(bytes, index)))
  }
}

const unitAt = (bytes: Uint8Array, index: number): number =>
  (bytes[2 * index] ?? 0) | ((bytes[2 * index + 1] ?? 0) << 8)

/** Converts character codes in chunks, because JavaScript engines limit the number of arguments of a call. */
function fromCodes(codes: Uint8Array | Uint16Array): string {
  let text = ''
  for (let at = 0; at < codes.length; at += 4096) {
    text += Reflect.apply(String.fromCharCode, undefined, codes.subarray(at, at + 4096))
  }
  return text
}

const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function toHex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += digits[byte]
  return text
}

/** Decodes hexadecimal text. Stops at the first invalid pair of digits, as Node does. */
function fromHex(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length >> 1)
  for (let index = 0; index < bytes.length; index++) {
    const pair = text.slice(2 * index, 2 * index + 2)
    if (!/^[\da-f]{2}$/i.test(pair)) return bytes.slice(0, index)
    bytes[index] = Number.parseInt(pair, 16)
  }
  return bytes
}

/** Computes the length of an encoded text in bytes, as `Buffer.byteLength` computes it. */
export function textLength(text: string, encoding: Encoding): number {
  if (encoding === 'hex') return text.length >> 1
  if (encoding !== 'base64' && encoding !== 'base64url') return encodeText(text, encoding).length
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  return ((text.length - padding) * 3) >>> 2
}
