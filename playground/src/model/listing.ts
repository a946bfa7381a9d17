/** A line of a rule listing. Two tables may contain the same line. */
export interface Line {
  readonly text: string
  readonly kind: 'rule' | 'chain' | 'frame'
  /** Table and chain to which the line of the listing belongs. */
  readonly place: string
  /** Position of the rule in its chain, counted from 1. Lines without a rule have no position. */
  readonly index: number | undefined
}

/** Parses iptables-save or iptables-restore text into lines with their tables and chains. */
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
    // iptables inserts a rule with `-I` before earlier rules, so its position is unknown.
    return { text: line, kind: 'rule', place, index: command === '-I ' ? undefined : index }
  })
}

/** Parses the output of `nft list ruleset` into lines with their tables and chains. */
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

/**
 * Rule listings for variants of a pod's configuration. Differences between the listings show which setting causes which
 * line.
 */
export interface OtherLines {
  /** Listing for the configuration with all lists shortened. */
  readonly sample: readonly Line[]
  /** Listings for configurations with one list in full length, one for each list. */
  readonly whole: readonly { readonly id: string; readonly lines: readonly Line[] }[]
  /** Listings for configurations with one changed setting, one for each setting. */
  readonly changed: readonly { readonly id: string; readonly lines: readonly Line[] }[]
}

/** Finds the settings that cause each line: the line disappears if such a setting changes. */
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

/** Returns a key for each line, by which the page finds the line in other listings. */
function keysOf(lines: readonly Line[]): string[] {
  const seen = new Map<string, number>()
  return lines.map(({ place, text }) => {
    const key = `${place}\n${text.trim()}`
    const count = (seen.get(key) ?? 0) + 1
    seen.set(key, count)
    return `${key}\n${count}`
  })
}
