const SHORT: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
}

/**
 * Quotes a text like Go's `%q`. Use it to compare messages with a Go program's messages.
 *
 * @example
 * ```ts
 * goQuote('two\nlines') // '"two\\nlines"'
 * ```
 */
export function goQuote(text: string): string {
  return `"${text.replace(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, escapeCharacter)}"`
}

function escapeCharacter(character: string): string {
  const short = SHORT[character]
  if (short !== undefined) return short
  const point = character.codePointAt(0) ?? 0
  if (point >= 0xd800 && point <= 0xdfff) return '\ufffd'
  const hex = point.toString(16)
  if (point < 0x80) return `\\x${hex.padStart(2, '0')}`
  return point > 0xffff ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`
}
