import { escapeUnsafeLines } from '@cni/types'

/** Copies the beginning of a text. A slice of the text would keep the whole text in memory. */
export const truncate = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : Buffer.from(text.slice(0, maxChars)).toString()

/** Formats a value as indented JSON. Escapes characters that could control the user's terminal. */
export const jsonText = (value: unknown): string => `${escapeUnsafeLines(JSON.stringify(value, null, 2))}\n`
