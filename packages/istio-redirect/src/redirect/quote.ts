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

// JSON leaves C1 controls, line separators and direction marks as they are: terminals and log viewers act on them
const INVISIBLE = /[\u007f-\u00a0\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/

function escapeCharacter(character: string): string {
  return INVISIBLE.test(character)
    ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
    : JSON.stringify(character).slice(1, -1)
}
