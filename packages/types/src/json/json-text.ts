/**
 * Start and end of the value in a JSON text. A caller can edit parts of the text with {@link jsonItems} and
 * {@link jsonMembers}. The text must be valid for `JSON.parse`.
 *
 * @example
 * ```ts
 * const text = '{ "a": 1.0, "b": [] }'
 * const a = jsonMembers(text, jsonValue(text)).find(({ key }) => key === 'a')
 * text.slice(a?.value.start, a?.value.end) // '1.0'
 * ```
 */
export function jsonValue(text: string): {
  readonly start: number
  /** Position after the last character of the value, as an index in the JSON text. */
  readonly end: number
} {
  const start = skipBlanks(text, 0)
  return { start, end: endOfValue(text, start) }
}

/** Start and end of each item of an array in a JSON text. */
export function jsonItems(text: string, array: ReturnType<typeof jsonValue>): ReturnType<typeof jsonValue>[] {
  return parts(text, array, (start) => ({ start, end: endOfValue(text, start) }))
}

/** Start and end of an object's members in a JSON text. A key that occurs twice is listed twice. */
export function jsonMembers(
  text: string,
  object: ReturnType<typeof jsonValue>,
): Array<ReturnType<typeof jsonValue> & { readonly key: string; readonly value: ReturnType<typeof jsonValue> }> {
  return parts(text, object, (start) => {
    const endOfKey = endOfString(text, start)
    const value = skipBlanks(text, skipBlanks(text, endOfKey) + 1)
    const key = String(JSON.parse(text.slice(start, endOfKey)))
    const end = endOfValue(text, value)
    return { start, end, key, value: { start: value, end } }
  })
}

/** Depth of the deepest array or object in a JSON text. */
export function jsonDepth(text: string): number {
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

// internal

type JsonSpan = ReturnType<typeof jsonValue>

function parts<Part extends JsonSpan>(text: string, { start, end }: JsonSpan, read: (at: number) => Part): Part[] {
  const all: Part[] = []
  for (let at = skipBlanks(text, start + 1); at < end - 1; ) {
    const part = read(at)
    all.push(part)
    // Skips the comma after the item. After the last item, skips the closing bracket, so the loop ends.
    at = skipBlanks(text, skipBlanks(text, part.end) + 1)
  }
  return all
}

/** Uses a loop, because recursion could overflow the stack for a deeply nested input. */
function endOfValue(text: string, start: number): number {
  const first = text[start]
  if (first === '"') return endOfString(text, start)
  if (first !== '{' && first !== '[') return endOfWord(text, start)
  let depth = 0
  for (let at = start; at < text.length; ) {
    const character = text[at]
    if (character === '"') {
      at = endOfString(text, at)
      continue
    }
    at += 1
    if (character === '{' || character === '[') depth += 1
    else if ((character === '}' || character === ']') && --depth === 0) return at
  }
  return text.length
}

function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0
    while (text[at - 1 - escapes] === '\\') escapes += 1
    if (escapes % 2 === 0) return at + 1
  }
  return text.length
}

/** End of a number, or of `true`, `false` or `null`, in a JSON text. */
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
