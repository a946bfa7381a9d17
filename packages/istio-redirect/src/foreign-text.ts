import { escapeUnsafeLines } from '@cni/types'

/** The beginning of a text, as a text of its own: a slice would keep the whole one in memory. */
export const beginning = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : Buffer.from(text.slice(0, maxChars)).toString()

/** A value as indented JSON for programs, which does a terminal no harm either. */
export const jsonText = (value: unknown): string => `${escapeUnsafeLines(JSON.stringify(value, null, 2))}\n`
