import { icmpTypes, icmpv6Types, protocolNames } from '../print/words.ts'
import { compareBytes } from '../rules/compare-bytes.ts'
import { type DataType, dataTypes, type Span } from '../rules/data-type.ts'
import type { Token, Words } from './tokens.ts'

/** Reads the words between `{` and `}` of an nft listing. `undefined` if a brace is missing. */
export function braced(words: Words): readonly Token[] | undefined {
  if (!words.take('{')) return undefined
  const found: Token[] = []
  for (;;) {
    const token = words.next()
    if (token === undefined || (!token.quoted && token.text === '{')) return undefined
    if (!token.quoted && token.text === '}') return found
    if (token.text !== '\n') found.push(token)
  }
}

/** Parses set keys between commas into the form that `nftRuleset` accepts. `undefined` if a key is invalid. */
export function keysIn(type: DataType, tokens: readonly Token[]): readonly unknown[] | undefined {
  const keys: unknown[] = []
  let isOpen = true
  for (const token of tokens) {
    // Skips a comma that is a separate word. The tokenizer separates the comma only after a quoted name.
    if (!isOpen && token.text === ',') {
      isOpen = true
      continue
    }
    if (!isOpen) return undefined
    const isLast = token.quoted || !token.text.endsWith(',')
    const key = keyIn(type, isLast ? token : { ...token, text: token.text.slice(0, -1) })
    if (key === undefined) return undefined
    keys.push(key)
    isOpen = !isLast
  }
  return keys.length === 0 ? undefined : keys
}

/** Parses a value or a range into the form that `nftRuleset` accepts. `undefined` if the text is invalid. */
export function keyIn(type: DataType, token: Token): unknown {
  const value = valueIn(type, token)
  const span = type.write(value)
  if (span !== undefined) return span.bits !== undefined && !isNetwork(type, token, span) ? undefined : value
  const [from, to, more] = token.text.split('-')
  if (type.ordered !== true || from === undefined || to === undefined || more !== undefined) return undefined
  const range = { from: valueIn(type, { ...token, text: from }), to: valueIn(type, { ...token, text: to }) }
  return type.write(range.from) === undefined || type.write(range.to) === undefined ? undefined : range
}

// internal

/** False for an address that has bits set after its prefix length, such as `10.0.0.5/8`. True for other values. */
function isNetwork(type: DataType, { text }: Token, { from }: Span): boolean {
  const address = type.networks === true ? type.write(text.split('/')[0])?.from : undefined
  return address === undefined || compareBytes(address, from) === 0
}

function valueIn(type: DataType, { text }: Token): unknown {
  if (type === dataTypes.ifname) {
    if (text.endsWith('\\*')) return `${text.slice(0, -2)}*`
    return text.endsWith('*') ? { prefix: text.slice(0, -1) } : text
  }
  if (type.flags === true) return text.split(',')
  if (type.networks === true) return text
  const number = namesOf.get(type)?.get(text) ?? (/^(?:0x[0-9a-f]+|\d+)$/.test(text) ? Number(text) : undefined)
  return number ?? text
}

const numbersOf = (names: ReadonlyMap<number, string>): ReadonlyMap<string, number> =>
  new Map([...names].map(([number, name]) => [name, number]))

const namesOf: ReadonlyMap<DataType, ReadonlyMap<string, number>> = new Map<DataType, ReadonlyMap<string, number>>([
  [dataTypes.inet_proto, numbersOf(protocolNames)],
  [dataTypes.icmp_type, numbersOf(icmpTypes)],
  [dataTypes.icmpv6_type, numbersOf(icmpv6Types)],
])
