import { NetnsError } from '../../handle/netns-error.ts'
import { describeValue } from '../check.ts'

/** Parses a MAC address such as `02:00:00:ab:00:01`, in upper or lower case. Throws `NetnsError('INVALID')`. */
export function parseMac(text: string): Uint8Array {
  if (typeof text === 'string' && /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i.test(text)) {
    return Uint8Array.from(text.split(':'), (pair) => Number.parseInt(pair, 16))
  }
  throw new NetnsError('INVALID', `Not a MAC address: ${describeValue(text)}; expected one like 02:00:00:ab:00:01`)
}

/** Formats a MAC address in lower case. */
export function formatMac(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(':')
}
