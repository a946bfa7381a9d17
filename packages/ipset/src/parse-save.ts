import { SetError } from './errors.ts'
import type { SetEntry, SetInfo } from './spec-types.ts'

/** IP set with its entries, parsed from the output of `ipset save`. */
export type SavedSet = Omit<SetInfo, 'references' | 'entryCount'> & { readonly entries: readonly SetEntry[] }

/** Parses the output of `ipset save`: sets with their entries. */
export function parseSets(text: string): SavedSet[] {
  const sets = new Map<string, SavedSet & { entries: SetEntry[] }>()
  for (const line of logicalLines(text)) {
    const words = wordsOf(line)
    const [verb, name = '', subject = ''] = words
    if (verb === 'create' && subject !== '') {
      sets.set(name, { ...parseHeader(name, subject, words.slice(3)), entries: [] })
    } else {
      const set = verb === 'add' && subject !== '' ? sets.get(name) : undefined
      if (set === undefined) throw new SetError('PARSE', `ipset save printed ${JSON.stringify(line)}`)
      set.entries.push(parseEntry(subject, words, line))
    }
  }
  return [...sets.values()]
}

/** Parses the options of a set from `ipset save` or from a `Header:` of `ipset list`. */
export function parseHeader(name: string, type: string, words: readonly string[]): Omit<SavedSet, 'entries'> {
  const found: { -readonly [K in keyof Omit<SavedSet, 'name' | 'type' | 'other' | 'entries'>]: SavedSet[K] } = {}
  const other: string[] = []
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    const value = () => words[++i] ?? ''
    if (word === 'comment' || word === 'counters') found[word] = true
    else if (word === 'maxelem') found.maxelem = Number(value())
    else if (word === 'timeout') found.timeoutSeconds = Number(value())
    else if (word === 'range') found.range = value()
    else if (word === 'family') found.family = value() === 'inet6' ? 'ipv6' : 'ipv4'
    // Skips options that the kernel chooses or changes itself: the sizes and `initval`.
    else if (word === 'hashsize' || word === 'size' || word === 'bucketsize' || word === 'initval') i++
    else other.push(word)
  }
  return { name, type, ...found, other }
}

// internal

/** Splits the output of `ipset save`. A line feed inside double quotes does not end a line. */
function* logicalLines(text: string): Generator<string> {
  let open = ''
  for (const line of text.split('\n')) {
    if (open === '' && !line.includes('"')) {
      if (line !== '') yield line
      continue
    }
    open += open === '' ? line : `\n${line}`
    if ((open.split('"').length & 1) === 1) {
      yield open
      open = ''
    }
  }
  if (open !== '') throw new SetError('PARSE', `ipset save printed an open quote: ${JSON.stringify(open)}`)
}

const wordsOf = (line: string): string[] =>
  line.includes('"')
    ? Array.from(line.matchAll(/"([^"]*)"|[^ ]+/g), ([word, quoted]) => quoted ?? word)
    : line.split(' ')

function parseEntry(entry: string, words: readonly string[], line: string): SetEntry {
  // Rejects spaces and quotes, because a caller could not safely write them for `ipset restore`.
  if (!/^[\x21\x23-\x7e]+$/.test(entry)) throw new SetError('PARSE', `ipset save printed ${JSON.stringify(line)}`)
  if (words.length === 3) return { entry }
  const found: { -readonly [K in keyof SetEntry]: SetEntry[K] } = { entry }
  for (let i = 3; i < words.length; i++) {
    const word = words[i]
    if (word === 'nomatch') found.nomatch = true
    else {
      const value = words[++i] ?? ''
      if (word === 'comment') found.comment = value
      else if (word === 'timeout') found.timeoutSeconds = Number(value)
      else if (word === 'packets' || word === 'bytes') found[word] = Number(value)
    }
  }
  return found
}
