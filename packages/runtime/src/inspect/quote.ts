const escapes: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
  '\\': '\\\\',
}

/** Quotes a string like `util.inspect`, with the first kind of quote that the text lacks. */
export function quote(text: string): string {
  const mark = !text.includes("'")
    ? "'"
    : !text.includes('"')
      ? '"'
      : text.includes('`') || text.includes('${')
        ? "'"
        : '`'
  let quoted = ''
  for (const letter of text) quoted += letter === mark ? `\\${letter}` : escaped(letter)
  return mark + quoted + mark
}

function escaped(letter: string): string {
  const known = escapes[letter]
  if (known !== undefined) return known
  const code = letter.charCodeAt(0)
  if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return `\\x${code.toString(16).toUpperCase().padStart(2, '0')}`
  const isLone = letter.length === 1 && code >= 0xd800 && code <= 0xdfff
  return isLone ? `\\u${code.toString(16).toUpperCase()}` : letter
}

export function keyText(key: PropertyKey): string {
  if (typeof key === 'symbol') return key.toString()
  const name = String(key)
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name)
}
