/** What a part of a text becomes. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** A text with edits, in whatever order; none is within another. */
export function edited(text: string, edits: readonly Edit[], { start, end } = { start: 0, end: text.length }): string {
  let printed = ''
  let at = start
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    printed += text.slice(at, edit.start) + edit.text
    at = edit.end
  }
  return printed + text.slice(at, end)
}
