import { compareBytes } from '../rules/compare-bytes.ts'
import { type DataType, dataTypes, integer, type Plain } from '../rules/data-type.ts'
import { selectors } from '../rules/selector.ts'
import { isMatch, type MarkValue, type Match, type Statement, type Vmap } from '../rules/statement.ts'
import type { Key, Masked, Selector } from '../rules/values.ts'
import type { Family } from '../wire/family.ts'
import type { Verdict } from '../wire/fields/verdict.ts'
import { limitText, logText } from './limits.ts'
import { natText, rejectText, tproxyText } from './nat.ts'
import { rawText } from './raw.ts'
import { isRange, keyText, markText, maskedText, rangeText, valueText } from './values.ts'

/** Format of a printed rule. `stateless` omits counters and other state, as `nft --stateless`. */
export type PrintOptions = { readonly stateless?: boolean | undefined }

/** Text of a rule's statement in nft's words. */
export function statementText(statement: Statement, family: Family, options: PrintOptions = {}): string {
  if (isMatch(statement)) return matchText(statement)
  switch (statement.kind) {
    case 'vmap':
      return vmapText(statement)
    case 'counter': {
      const { packets = 0n, bytes = 0n } = statement
      return options.stateless === true ? 'counter' : `counter packets ${packets} bytes ${bytes}`
    }
    case 'mark set':
      return `meta mark set ${markValueText(statement.to)}`
    case 'ct mark set':
      return `ct mark set ${markValueText(statement.to)}`
    case 'ct zone set':
      return `ct zone set ${statement.to}`
    case 'nftrace set':
      return `meta nftrace set ${statement.to}`
    case 'jump':
    case 'goto':
      return `${statement.kind} ${statement.chain}`
    case 'limit':
      return limitText(statement)
    case 'log':
      return logText(statement)
    case 'snat':
    case 'dnat':
    case 'redirect':
    case 'masquerade':
      return natText(statement, family)
    case 'tproxy':
      return tproxyText(statement, family)
    case 'reject':
      return rejectText(statement, family)
    case 'raw':
      return statement.expressions.map(rawText).join(' ')
    default:
      return statement.kind
  }
}

/** Text of a verdict, such as `accept`, `jump c`. */
export const verdictText = (verdict: Verdict): string =>
  'chain' in verdict ? `${verdict.verdict} ${verdict.chain}` : verdict.verdict

/** Text of a selector, such as `tcp dport`, as nft prints it. */
const selectorText = (kind: Selector): string => (metaWords.has(kind) ? `meta ${kind}` : kind)

const metaWords: ReadonlySet<Selector> = new Set(['nfproto', 'l4proto', 'mark', 'skuid', 'skgid', 'pkttype'] as const)

function matchText({ kind, op, value }: Match): string {
  const { type } = selectors[kind]
  if (kind === 'tcp flags') {
    const exact = exactFlags(op, value)
    if (exact !== undefined) return `tcp flags ${exact}`
  }
  const what = selectorText(kind)
  const not = op === undefined ? '' : `${op} `
  if (typeof value !== 'object') return `${what} ${not}${valueText(type, value)}`
  if ('named' in value) return `${what} ${not}@${value.named}`
  if ('set' in value && isExact(type, value.set)) return `${what} ${flagsText(type, value.set[0] ?? [], op ?? '==')}`
  if ('set' in value) return `${what} ${not}{ ${setText(type, value.set)} }`
  if ('mask' in value) return `${what} ${maskedText(type, masked(value), op === '!=' ? op : undefined)}`
  if (isRange(value)) return `${what} ${not}${rangeText(type, value)}`
  return `${what} ${flagsText(type, value, op)}`
}

/** The type cast is safe, because value and mask have the data type of the selector. */
const masked = (value: Masked<unknown>): Masked<Plain> => value as Masked<Plain>

/** True for a single combination of flags, which nft prints without braces. */
const isExact = (type: DataType, keys: readonly Key<Plain>[]): keys is readonly Plain[] =>
  type.flags === true && keys.length === 1

/** Text of flags with the condition's operator, joined by `|` or by commas. */
function flagsText(type: DataType, value: Plain, op: Match['op'] | '=='): string {
  if (type.flags !== true || op === undefined || !Array.isArray(value))
    return `${op === undefined ? '' : `${op} `}${valueText(type, value)}`
  return `${op === '==' && value.length > 1 ? '' : `${op} `}${value.join(' | ')}`
}

/** Text of a condition that compares TCP flags as one number. `undefined` if nft prints a list. */
function exactFlags(op: Match['op'], value: Match<'tcp flags'>['value']): string | undefined {
  const sign = op ?? '=='
  const shown = (flags: readonly string[]) =>
    flags.length === 1 ? `${sign} ${flags[0]}` : `${sign} 0x${numberOf(dataTypes.tcp_flag, flags).toString(16)}`
  if (isList(value)) {
    if (op === undefined) return value.length === ALL_FLAGS ? '!= 0x0' : undefined
    return value.length > 1 ? shown(value) : undefined
  }
  if ('mask' in value) return value.mask.length === ALL_FLAGS ? shown(value.value) : undefined
  const [only, ...more] = 'set' in value && op === undefined ? value.set : []
  return only !== undefined && more.length === 0 && isList(only) && only.length > 1 ? shown(only) : undefined
}

const ALL_FLAGS = 8
const isList = (value: unknown): value is readonly string[] => Array.isArray(value)

const numberOf = (type: DataType, value: Plain): number => integer(type.write(value)?.from ?? new Uint8Array())

function setText(type: DataType, keys: readonly Key<Plain>[]): string {
  // nft sorts combinations with the same first flag from the highest number to the lowest.
  const list = type === dataTypes.tcp_flag ? keys.toSorted((a, b) => whole(type, b) - whole(type, a)) : keys
  return inListOrder(type, list, (key) => key)
    .map((key) => keyText(type, key))
    .join(', ')
}

function vmapText({ on, map }: Vmap): string {
  if ('named' in map) return `${selectorText(on)} vmap @${map.named}`
  const { type } = selectors[on]
  // The type cast is safe, because the keys of the map have the data type of the selector.
  const elements = map.elements as readonly { readonly key: Key<Plain>; readonly verdict: Verdict }[]
  const shown = inListOrder(type, elements, ({ key }) => key).map(
    ({ key, verdict }) => `${keyText(type, key)} : ${verdictText(verdict)}`,
  )
  return `${selectorText(on)} vmap { ${shown.join(', ')} }`
}

/** Sorts the keys of an anonymous set as nft does. */
export function inListOrder<T>(
  type: DataType,
  list: readonly T[],
  keyOf: (item: T) => Key<Plain>,
  interval = list.some((item) => typeof keyOf(item) !== 'string'),
): T[] {
  const sortable = list.map((item) => {
    const key = keyOf(item)
    const first = isRange(key) ? key.from : Array.isArray(key) ? key.slice(0, 1) : key
    return { item, from: type.write(first)?.from ?? new Uint8Array() }
  })
  const byName = type === dataTypes.ifname && !interval
  if (byName) for (const each of sortable) each.from = Uint8Array.from(each.from).reverse()
  return sortable.sort((a, b) => compareBytes(a.from, b.from)).map(({ item }) => item)
}

const whole = (type: DataType, key: Key<Plain>): number => (isRange(key) ? 0 : numberOf(type, key))

/** Text of the bit operations on a mark, as nft prints them. */
function markValueText(value: MarkValue): string {
  if (typeof value === 'number') return markText(value)
  const { of, and = ALL, xor = 0 } = value
  const or = (xor & ~and) >>> 0
  const flip = (xor & and) >>> 0
  const keep = (and | or) >>> 0
  const parts = [of === 'mark' ? 'meta mark' : of]
  if (keep !== ALL) parts.push(`& ${markText(keep)}`)
  if (flip !== 0) parts.push(`^ ${markText(flip)}`)
  if (or !== 0) parts.push(`| ${markText(or)}`)
  return parts.join(' ')
}

const ALL = 0xffff_ffff
