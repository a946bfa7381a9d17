/**
 * Unicode control and format characters, line and paragraph separators. These characters control a terminal, reverse
 * text or are invisible.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/**
 * Escapes control, invisible and text-reversing characters, for example as `\n` or `\u202e`. Use it for all text from
 * other programs in a log or on a terminal. A JSON text on one line keeps its value.
 *
 * @example
 * ```ts
 * escapeUnsafe('web\u009b2J') // 'web\\u009b2J'
 * ```
 */
export const escapeUnsafe = (text: string): string => replaceUnsafe(text, escapeCharacter)

/** Escapes a text like {@link escapeUnsafe}, but keeps newlines and tabs. For a text of several lines. */
export const escapeUnsafeLines = (text: string): string =>
  replaceUnsafe(text, (character) =>
    character === '\n' || character === '\t' ? character : escapeCharacter(character),
  )

/** Replaces by the text `by` each character that {@link escapeUnsafe} would escape. */
export const replaceUnsafe = (text: string, by: string | ((character: string) => string)): string =>
  // Wraps the replacement in a function, because `String.replace` would expand patterns such as `$&` in a string.
  text.replace(UNSAFE, typeof by === 'string' ? () => by : by)

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const escapeCharacter = (character: string): string =>
  SHORT[character] ??
  Array.from({ length: character.length }, (_, index) => `\\u${hex(character.charCodeAt(index))}`).join('')

const hex = (unit: number): string => unit.toString(16).padStart(4, '0')
