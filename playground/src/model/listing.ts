/** A line of a listing with its place, because lines of two tables may be equal. */
export interface Line {
  readonly text: string
  readonly kind: 'rule' | 'chain' | 'frame'
  /** Table and chain of the line. */
  readonly place: string
  /** Position of a rule in its chain, from 1. */
  readonly index: number | undefined
}

/** Lines of `iptables-save` or `iptables-restore` text. */
export function iptablesLines(text: string): Line[] {
  let table = ''
  const count = new Map<string, number>()
  return linesOf(text).map((line): Line => {
    if (line.startsWith('*')) table = line.slice(1).trim()
    const [, command, name = ''] = /^(:|-N |-A |-I )(\S+)/.exec(line) ?? []
    const place = `${table} ${name}`.trim()
    if (command === undefined) return { text: line, kind: 'frame', place: table, index: undefined }
    if (command === ':' || command === '-N ') return { text: line, kind: 'chain', place, index: undefined }
    const index = (count.get(place) ?? 0) + 1
    count.set(place, index)
    // A rule of `-I` has no index: its position in the chain differs from its position in the text.
    return { text: line, kind: 'rule', place, index: command === '-I ' ? undefined : index }
  })
}

/** Lines of `nft list ruleset`. */
export function nftLines(text: string): Line[] {
  let table = ''
  let chain = ''
  let index = 0
  return linesOf(text).map((line): Line => {
    const words = line.trim()
    const [, kind, name = ''] = /^(table|chain) (.*) \{$/.exec(words) ?? []
    if (kind === 'table') {
      table = name
      return { text: line, kind: 'frame', place: table, index: undefined }
    }
    if (kind === 'chain') {
      chain = name
      index = 0
      return { text: line, kind: 'chain', place: `${table} ${chain}`, index: undefined }
    }
    const place = `${table} ${chain}`
    if (words === '' || words === '}') return { text: line, kind: 'frame', place, index: undefined }
    if (/^(type \w+ hook|policy|comment )/.test(words)) return { text: line, kind: 'chain', place, index: undefined }
    index += 1
    return { text: line, kind: 'rule', place, index }
  })
}

/** Lines of the listings for variants of the configuration. */
export interface OtherLines {
  /** Lines with shortened lists. */
  readonly sample: readonly Line[]
  /** Lines with one complete list, for each list. */
  readonly whole: readonly { readonly id: string; readonly lines: readonly Line[] }[]
  /** Lines with one changed setting, for each setting. */
  readonly changed: readonly { readonly id: string; readonly lines: readonly Line[] }[]
}

/** Settings that cause each line: the line is missing if such a setting changes. */
export function originsOf(lines: readonly Line[], { sample, whole, changed }: OtherLines): string[][] {
  const inSample = new Set(keysOf(sample))
  const withList = whole.map((one) => ({ id: one.id, keys: new Set(keysOf(one.lines)) }))
  const without = changed.map((one) => ({ id: one.id, keys: new Set(keysOf(one.lines)) }))
  return keysOf(lines).map((key, at) => {
    if (lines[at]?.kind === 'frame') return []
    const isSampled = inSample.has(key)
    return (isSampled ? without : withList).filter(({ keys }) => keys.has(key) !== isSampled).map(({ id }) => id)
  })
}

// internal

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

/** Key of each line, by which the line is found in other listings. Repeated lines get a number. */
function keysOf(lines: readonly Line[]): string[] {
  const seen = new Map<string, number>()
  return lines.map(({ place, text }) => {
    const key = `${place}\n${text.trim()}`
    const count = (seen.get(key) ?? 0) + 1
    seen.set(key, count)
    return `${key}\n${count}`
  })
}
