import { host } from '../host.ts'

/** Characters to percent-encode in each part of a URL, besides C0 control characters. */
export const sets = {
  control: '',
  fragment: ' "<>`',
  query: ' "#<>',
  specialQuery: ' "#<>\'',
  path: ' "#<>?`{}^',
  userinfo: ' "#<>?`{}/:;=@[\\]^|',
} as const

export function percentEncode(text: string, set: string): string {
  let encoded = ''
  for (const letter of text) {
    const code = letter.codePointAt(0) ?? 0
    encoded += code <= 0x1f || code > 0x7e || set.includes(letter) ? percentBytes(letter) : letter
  }
  return encoded
}

export function percentBytes(text: string): string {
  return Array.from(host.encode(text), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
}

/** Decodes percent-encoded bytes of a URL. Keeps each `%` that two hexadecimal digits do not follow. */
export function percentDecode(text: string): string {
  if (!text.includes('%')) return text
  const bytes = host.encode(text)
  const decoded: number[] = []
  for (let at = 0; at < bytes.length; at++) {
    const pair = String.fromCharCode(bytes[at + 1] ?? 0, bytes[at + 2] ?? 0)
    const isEncoded = bytes[at] === 0x25 && /^[\da-f]{2}$/i.test(pair)
    decoded.push(isEncoded ? Number.parseInt(pair, 16) : (bytes[at] ?? 0))
    if (isEncoded) at += 2
  }
  return host.decode(Uint8Array.from(decoded))
}
