import { escapeUnsafe, replaceUnsafe } from './unsafe-text.ts'

const MAX_QUOTED = 80

/** Quotes a value for a message, with at most 80 characters. */
export function quote(value: string): string {
  let body = ''
  for (const character of value) {
    const escaped = escapeCharacter(character)
    if (body.length + escaped.length > MAX_QUOTED - 3) return `"${body}…"`
    body += escaped
  }
  return `"${body}"`
}

/** Formats foreign text as one line of at most 500 safe characters. */
export const printable = (text: string): string => replaceUnsafe(text, ' ').replace(/\s+/g, ' ').slice(0, 500)

// internal

/** Matches white space other than a space. It is escaped, because an invalid value would otherwise look valid. */
const OTHER_SPACE = /^[^\S ]$/

function escapeCharacter(character: string): string {
  const text = JSON.stringify(character).slice(1, -1)
  return OTHER_SPACE.test(text) ? `\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}` : escapeUnsafe(text)
}
