import { decodeBytes } from '../buffer/encodings.ts'
import { defineGlobal } from '../define.ts'
import { host } from '../host.ts'
import { DOMException } from './dom-exception.ts'

export function btoa(text: string): string {
  const given = `${text}`
  const bytes = new Uint8Array(given.length)
  for (let index = 0; index < given.length; index++) {
    const code = given.charCodeAt(index)
    if (code > 0xff) throw new DOMException('Invalid character', 'InvalidCharacterError')
    bytes[index] = code
  }
  return host.toBase64(bytes, false)
}

export function atob(text: string): string {
  const packed = `${text}`.replace(/[\t\n\f\r ]/g, '')
  const stripped = packed.length % 4 === 0 ? packed.replace(/={1,2}$/, '') : packed
  if (stripped.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(stripped)) {
    throw new DOMException('The string to be decoded is not correctly encoded.', 'InvalidCharacterError')
  }
  return decodeBytes(host.fromBase64(stripped), 'latin1')
}

defineGlobal('btoa', btoa)
defineGlobal('atob', atob)
