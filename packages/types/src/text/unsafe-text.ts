/** Control and format characters, separators of lines and paragraphs. They act on a terminal, reverse text or are invisible. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/**
 * A text in which nothing can break a line, move a cursor, turn text around or hide: such characters become `\n`, `\r`,
 * `\t` or `\u202e`. For whatever comes from outside and goes into a log or to a terminal. JSON without indentation stays
 * JSON of the same value.
 *
 * @example
 * ```ts
 * escapeUnsafe('web\u009b2J') // 'web\\u009b2J'
 * ```
 */
export const escapeUnsafe = (text: string): string => replaceUnsafe(text, escapeCharacter)

/** {@link escapeUnsafe} for a text of several lines, such as a stack or indented JSON: its newlines and tabs stay. */
export const escapeUnsafeLines = (text: string): string =>
  replaceUnsafe(text, (character) =>
    character === '\n' || character === '\t' ? character : escapeCharacter(character),
  )

/** A text with something else in the place of each character that {@link escapeUnsafe} escapes. */
export const replaceUnsafe = (text: string, by: string | ((character: string) => string)): string =>
  // A function: a string would be a pattern such as `$&`.
  text.replace(UNSAFE, typeof by === 'string' ? () => by : by)

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const escapeCharacter = (character: string): string =>
  SHORT[character] ??
  Array.from({ length: character.length }, (_, index) => `\\u${hex(character.charCodeAt(index))}`).join('')

const hex = (unit: number): string => unit.toString(16).padStart(4, '0')
