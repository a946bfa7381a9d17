/** Word of a rule in `iptables-save` output. A quoted word is never an option or a negation. */
export interface Word {
  readonly text: string
  readonly quoted: boolean
}

/** Splits a line into words and quoted words, as `iptables-restore` does. */
export function tokenize(line: string): Word[] {
  const words: Word[] = []
  if (!line.includes('"')) {
    for (const text of line.split(/[ \t]+/)) if (text !== '') words.push({ text, quoted: false })
    return words
  }
  let text = ''
  let open = false
  const end = (quoted: boolean) => {
    if (quoted || text !== '') words.push({ text, quoted })
    text = ''
  }
  for (let i = 0; i < line.length; i++) {
    const char = line[i] ?? ''
    if (open && char === '\\') text += line[++i] ?? ''
    else if (char === '"') {
      if (open) end(true)
      open = !open
    } else if (!open && (char === ' ' || char === '\t')) end(false)
    else text += char
  }
  end(open)
  return words
}

/** Converts tokens that this package created to words. Every word counts as unquoted. */
export const asWords = (tokens: readonly string[]): Word[] => tokens.map((text) => ({ text, quoted: false }))
