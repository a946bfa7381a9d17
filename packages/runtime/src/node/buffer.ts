import { Buffer } from '../buffer/buffer.ts'
import { atob, btoa } from '../globals/base64.ts'

export { atob, Buffer, btoa }

export const constants = { MAX_LENGTH: 0x7fff_ffff, MAX_STRING_LENGTH: 0x3fff_ffff }
export const kMaxLength = constants.MAX_LENGTH

/** Returns true if the bytes are valid UTF-8. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

export const isAscii = (bytes: Uint8Array): boolean => bytes.every((byte) => byte < 0x80)

export default { Buffer, atob, btoa, constants, kMaxLength, isUtf8, isAscii }
