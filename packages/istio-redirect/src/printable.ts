import { escapeUnsafeLines, replaceUnsafe } from '@cni/types'

/** Foreign text as one line of at most 500 characters, without anything a terminal or a log viewer would act on. */
export const printable = (text: string): string => replaceUnsafe(text, ' ').replace(/\s+/g, ' ').slice(0, 500)

/** A value as indented JSON for programs, which does a terminal no harm either. */
export const jsonText = (value: unknown): string => `${escapeUnsafeLines(JSON.stringify(value, null, 2))}\n`
