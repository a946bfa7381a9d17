/** The first few lines of a text, joined on one line. */
export function shorten(lines: readonly string[]): string {
  const more = lines.length - 6
  return `${lines.slice(0, 6).join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}
