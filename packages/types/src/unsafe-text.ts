/**
 * Unicode's control and format characters and its separators of lines and paragraphs (Cc, Cf, Zl, Zp): what a terminal or
 * a reader of lines acts on, what turns text around, what nobody sees. As UTF-16 units: `\p{}` costs 0.3 ms at its
 * first use on Node.
 */
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must reach neither a log nor a terminal
  /[\x00-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\ud804[\udcbd\udccd]|\ud80d[\udc30-\udc3f]|\ud82f[\udca0-\udca3]|\ud834[\udd73-\udd7a]|\udb40[\udc01\udc20-\udc7f]/g

const NOT_PLAIN = /[^ -~]/

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
  // Nearly every text is plain, which the first look at the long list takes 50 µs to find.
  // a string would be a pattern of its own: `$&`
  !NOT_PLAIN.test(text) ? text : text.replace(UNSAFE, typeof by === 'string' ? () => by : by)

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const escapeCharacter = (character: string): string =>
  SHORT[character] ??
  Array.from({ length: character.length }, (_, index) => `\\u${hex(character.charCodeAt(index))}`).join('')

const hex = (unit: number): string => unit.toString(16).padStart(4, '0')
