/**
 * The text of one member of a JSON object, exactly as it stands there: no number loses digits, no key its place.
 * Of several members with the same name the last counts. The text must have been parsed before.
 */
export function memberText(json: string, name: string): string | undefined {
  let found: string | undefined
  let at = skipSpace(json, skipSpace(json, 0) + 1)
  while (json[at] === '"') {
    const keyEnd = endOfString(json, at)
    const start = skipSpace(json, skipSpace(json, keyEnd) + 1)
    const end = endOfValue(json, start)
    if (JSON.parse(json.slice(at, keyEnd)) === name) found = json.slice(start, end)
    at = skipSpace(json, end)
    if (json[at] === ',') at = skipSpace(json, at + 1)
  }
  return found
}

function skipSpace(json: string, from: number): number {
  let at = from
  while (at < json.length && ' \t\r\n'.includes(json.charAt(at))) at++
  return at
}

/** The index after the string that starts at `from`. */
function endOfString(json: string, from: number): number {
  let at = from + 1
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at + 1
}

/** The index after the value that starts at `from`. */
function endOfValue(json: string, from: number): number {
  let depth = 0
  let at = from
  while (at < json.length) {
    const char = json.charAt(at)
    if (char === '"') {
      at = endOfString(json, at)
      if (depth === 0) return at
      continue
    }
    if (depth === 0 && ',} \t\r\n]'.includes(char)) return at
    if (char === '{' || char === '[') depth++
    if (char === '}' || char === ']') depth--
    at++
    if (depth === 0 && (char === '}' || char === ']')) return at
  }
  return at
}
