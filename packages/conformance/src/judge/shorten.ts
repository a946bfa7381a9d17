/** Shortens a text for a finding: joins the first lines of the text on one line. */
export function shorten(lines: readonly string[]): string {
  const more = lines.length - 6
  return `${lines.slice(0, 6).join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}
