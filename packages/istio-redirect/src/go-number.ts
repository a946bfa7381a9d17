/**
 * Parses a number without a sign as Go does with base 0: decimal, or with the prefix 0x, 0o, 0b, or 0 for octal. Returns
 * NaN for any other text.
 */
export function goNumber(text: string): number {
  const digits = text.replace(/(?<=[0-9a-f]|^0[xob])_(?=[0-9a-f])/gi, '')
  if (/^0[0-7]+$/.test(digits)) return Number.parseInt(digits, 8)
  return /^(?:0|[1-9]\d*|0x[0-9a-f]+|0o[0-7]+|0b[01]+)$/i.test(digits) ? Number(digits) : Number.NaN
}
