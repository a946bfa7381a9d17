/** What a document of the subset can hold. */
export type PlainValue = string | boolean | null | PlainValue[] | { [key: string]: PlainValue }

/**
 * Reads the YAML that kubectl and Istio's agent write: block mappings and sequences of one-line scalars. Returns
 * `undefined` for anything else (anchors, flow collections, multi-line text, numbers, tabs, odd indentation, repeated
 * keys), so that a full parser can look at it; what it does accept means the same there. Bundling a full parser into
 * every start of the plugin would cost 7–11 ms.
 */
export function parseBlockYaml(text: string): PlainValue | undefined {
  const lines: Line[] = []
  for (const raw of text.split('\n')) {
    const content = raw.trimStart()
    if (content === '' || content.startsWith('#')) {
      if (/[^ ]/.test(raw.slice(0, raw.length - content.length))) return undefined
      continue
    }
    const indent = raw.length - content.length
    if (!onlySpaces.test(raw.slice(0, indent)) || content.trimEnd() !== content) return undefined
    lines.push({ indent, content })
  }
  if (lines.length === 0) return undefined
  try {
    const cursor = { lines, at: 0 }
    const value = node(cursor, 0, 0)
    return cursor.at === lines.length ? value : undefined
  } catch (error) {
    if (error instanceof OutsideSubset) return undefined
    throw error
  }
}

interface Line {
  readonly indent: number
  readonly content: string
}

interface Cursor {
  readonly lines: Line[]
  at: number
}

class OutsideSubset extends Error {}

const onlySpaces = /^ *$/
const maxDepth = 16

function node(cursor: Cursor, indent: number, depth: number): PlainValue {
  if (depth > maxDepth) throw new OutsideSubset()
  return isItem(cursor.lines[cursor.at]) ? sequence(cursor, indent, depth) : mapping(cursor, indent, depth)
}

const isItem = (line: Line | undefined): boolean => line?.content.startsWith('- ') ?? false

function sequence(cursor: Cursor, indent: number, depth: number): PlainValue[] {
  const items: PlainValue[] = []
  for (let line = cursor.lines[cursor.at]; line?.indent === indent && isItem(line); line = cursor.lines[cursor.at]) {
    const content = line.content.slice(2)
    if (entry.test(content)) {
      // The rest of the line is the first line of a mapping two columns further in.
      cursor.lines[cursor.at] = { indent: indent + 2, content }
      items.push(mapping(cursor, indent + 2, depth + 1))
    } else {
      cursor.at += 1
      items.push(scalar(content))
    }
    expectNotDeeper(cursor, indent)
  }
  return items
}

function mapping(cursor: Cursor, indent: number, depth: number): PlainValue {
  const members = new Map<string, PlainValue>()
  for (let line = cursor.lines[cursor.at]; line?.indent === indent && !isItem(line); line = cursor.lines[cursor.at]) {
    const [, key = '', rest] = entry.exec(line.content) ?? []
    if (key === '' || otherTypes.test(key) || members.has(key)) throw new OutsideSubset()
    cursor.at += 1
    members.set(key, rest === undefined ? nested(cursor, indent, depth) : scalar(rest))
    expectNotDeeper(cursor, indent)
  }
  if (members.size === 0) throw new OutsideSubset()
  return Object.fromEntries(members)
}

/** The value of a key that stands alone on its line: indented lines, a sequence in the same column, or nothing. */
function nested(cursor: Cursor, indent: number, depth: number): PlainValue {
  const next = cursor.lines[cursor.at]
  if (next === undefined) return null
  if (next.indent > indent) return node(cursor, next.indent, depth + 1)
  return next.indent === indent && isItem(next) ? sequence(cursor, indent, depth + 1) : null
}

function expectNotDeeper(cursor: Cursor, indent: number): void {
  if ((cursor.lines[cursor.at]?.indent ?? 0) > indent) throw new OutsideSubset()
}

function scalar(text: string): PlainValue {
  if (text === '{}') return {}
  if (text === '[]') return []
  if (text === '~' || /^(null|Null|NULL)$/.test(text)) return null
  if (/^(true|True|TRUE)$/.test(text)) return true
  if (/^(false|False|FALSE)$/.test(text)) return false
  if (plain.test(text) && !number.test(text) && !text.endsWith(':')) return text
  const [, double, single] = quoted.exec(text) ?? []
  if (double !== undefined) return double
  if (single !== undefined) return single.replaceAll("''", "'")
  throw new OutsideSubset()
}

const entry = /^([A-Za-z][A-Za-z0-9_.-]*):(?: (\S.*))?$/
const otherTypes = /^(?:null|true|false)$/i
// No blank, so neither ": " nor " #" can occur; no indicator in front.
const plain = /^[A-Za-z0-9/+][A-Za-z0-9+/=_.:@~%$[\]-]*$/
const number =
  /^[-+]?(?:0o[0-7]+|0x[0-9a-fA-F]+|(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|\.(?:inf|Inf|INF))$/
const quoted = /^(?:"([ !#-[\]-~]*)"|'((?:[ -&(-~]|'')*)')$/
