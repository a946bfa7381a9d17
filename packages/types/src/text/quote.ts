import { escapeUnsafe, replaceUnsafe } from './unsafe-text.ts'

const MAX_QUOTED = 80

/** A value as a JSON string of at most 80 characters in which nothing can break a line or hide. */
export function quote(value: string): string {
  let body = ''
  for (const character of value) {
    const escaped = escapeCharacter(character)
    if (body.length + escaped.length > MAX_QUOTED - 3) return `"${body}…"`
    body += escaped
  }
  return `"${body}"`
}

/** Foreign text as one line of at most 500 characters, without anything a terminal or a log viewer would act on. */
export const printable = (text: string): string => replaceUnsafe(text, ' ').replace(/\s+/g, ' ').slice(0, 500)

// internal

/** A space that is none, such as U+00A0, would make a value look right. */
const OTHER_SPACE = /^[^\S ]$/

function escapeCharacter(character: string): string {
  const text = JSON.stringify(character).slice(1, -1)
  return OTHER_SPACE.test(text) ? `\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}` : escapeUnsafe(text)
}
