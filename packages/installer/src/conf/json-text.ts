/** A part of a text: from `start` up to, and without, `end`. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A member of an object: from the first character of its key to the last of its value. */
export interface MemberSpan extends Span {
  readonly key: string
  readonly value: Span
}

/** Where the value of a JSON text is, without the blanks around it. The text must be one that `JSON.parse` accepts. */
export function valueSpan(text: string): Span {
  const start = skipBlanks(text, 0)
  return { start, end: endOfValue(text, start) }
}

/** Where the items of an array are. */
export function itemSpans(text: string, array: Span): Span[] {
  return parts(text, array, (start) => ({ start, end: endOfValue(text, start) }))
}

/** Where the members of an object are, all those of the same key included. */
export function memberSpans(text: string, object: Span): MemberSpan[] {
  return parts(text, object, (start) => {
    const endOfKey = endOfString(text, start)
    const value = skipBlanks(text, skipBlanks(text, endOfKey) + 1)
    const key = String(JSON.parse(text.slice(start, endOfKey)))
    const end = endOfValue(text, value)
    return { start, end, key, value: { start: value, end } }
  })
}

/** How deep arrays and objects are in each other. */
export function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  for (let at = 0; at < text.length; ) {
    const character = text[at]
    if (character === '{' || character === '[') deepest = Math.max(deepest, ++depth)
    else if (character === '}' || character === ']') depth -= 1
    at = character === '"' ? endOfString(text, at) : at + 1
  }
  return deepest
}

function parts<Part extends Span>(text: string, { start, end }: Span, read: (at: number) => Part): Part[] {
  const all: Part[] = []
  for (let at = skipBlanks(text, start + 1); at < end - 1; ) {
    const part = read(at)
    all.push(part)
    // past the comma, or at the closing bracket
    at = skipBlanks(text, skipBlanks(text, part.end) + 1)
  }
  return all
}

/** Not recursive: hostile nesting is deeper than any stack. */
function endOfValue(text: string, start: number): number {
  let depth = 0
  let at = start
  do {
    const character = text[at]
    if (character === '"') at = endOfString(text, at)
    else if (character === '{' || character === '[') {
      depth += 1
      at += 1
    } else if (character === '}' || character === ']') {
      depth -= 1
      at += 1
    } else if (depth === 0) at = endOfWord(text, at)
    else at += 1
  } while (depth > 0 && at < text.length)
  return at
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

/** The end of a number, or of `true`, `false` and `null`. */
function endOfWord(text: string, start: number): number {
  let at = start
  while (at < text.length && /[-+.\w]/.test(text[at] ?? '')) at += 1
  return at
}

function skipBlanks(text: string, start: number): number {
  let at = start
  while (' \t\r\n'.includes(text[at] ?? '!')) at += 1
  return at
}
