const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const NONE = 255

const values = new Uint8Array(256).fill(NONE)
for (let index = 0; index < 62; index++) values[ALPHABET.charCodeAt(index)] = index
for (const plus of '+-') values[plus.charCodeAt(0)] = 62
for (const slash of '/_') values[slash.charCodeAt(0)] = 63

export function toBase64(bytes: Uint8Array, last: string, padding: string): string {
  const letters = ALPHABET + last
  let text = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const [first = 0, second, third] = bytes.subarray(at, at + 3)
    const bits = (first << 16) | ((second ?? 0) << 8) | (third ?? 0)
    text += letters.charAt(bits >> 18) + letters.charAt((bits >> 12) & 63)
    text += second === undefined ? padding : letters.charAt((bits >> 6) & 63)
    text += third === undefined ? padding : letters.charAt(bits & 63)
  }
  return text
}

/** Takes both alphabets, skips other characters and ends at the first `=`, as Node's Buffer does. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.ceil((text.length * 3) / 4))
  let length = 0
  let bits = 0
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 61) break
    const value = code < 256 ? (values[code] ?? NONE) : NONE
    if (value === NONE) continue
    bits = ((bits << 6) | value) & 0xff_ffff
    count += 6
    if (count >= 8) {
      count -= 8
      bytes[length++] = bits >> count
    }
  }
  return bytes.slice(0, length)
}
