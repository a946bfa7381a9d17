/**
 * The ruleset of `nft list ruleset` with each rule on a line of its own that says where it is.
 *
 * @example
 * flattenNft('table ip nat {\n\tchain X {\n\t\treturn\n\t}\n}\n') // ['nft table ip nat', …, 'nft table ip nat / chain X / return']
 */
export function flattenNft(text: string): string[] {
  const path: string[] = []
  const lines: string[] = []
  for (const raw of text.split('\n')) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    if (line === '}') {
      path.pop()
    } else if (line.endsWith('{')) {
      path.push(line.slice(0, -1).trim())
      lines.push(`nft ${path.join(' / ')}`)
    } else {
      lines.push(`nft ${[...path, line].join(' / ')}`)
    }
  }
  return lines
}
