import { type DataType, dataTypes, integer, type Plain } from '../rules/data-type.ts'
import { onesBefore, spanOf } from '../rules/spans.ts'
import type { Key, Masked, Range } from '../rules/values.ts'
import { icmpTypes, icmpv6Types, protocolNames } from './words.ts'

/** Text of a compared value as nft prints it. In a range, nft prints numbers instead of names. */
export function valueText(type: DataType, value: Plain, inRange = false): string {
  if (typeof value === 'object') return 'prefix' in value ? `"${nameText(value.prefix)}*"` : listText(value)
  if (typeof value === 'string' && type === dataTypes.ifname) return `"${nameText(value)}"`
  if (type.networks === true) return addressText(type, value)
  if (type === dataTypes.mark) return markText(Number(value))
  const names = namesOf.get(type)
  if (names === undefined) return String(value)
  const number = integer(type.write(value)?.from ?? new Uint8Array())
  return (inRange ? undefined : names.get(number)) ?? String(number)
}

/** Text of a set key: a value or a range. */
export function keyText(type: DataType, key: Key<Plain>): string {
  if (isRange(key)) return type === dataTypes.mark ? marksText(type, key) : rangeText(type, key)
  return Array.isArray(key) ? key.join(' | ') : valueText(type, key)
}

/** Text of a range of values, as nft prints it. */
export const rangeText = (type: DataType, { from, to }: Range<Plain>): string =>
  `${valueText(type, from, true)}-${valueText(type, to, true)}`

/** Text of a range of marks in a set. nft prints marks with a common prefix as `mark/bits`. */
function marksText(type: DataType, key: Range<Plain>): string {
  const [from, to] = [type.write(key.from)?.from, type.write(key.to)?.from]
  const bits = from && to && spanOf({ ...type, networks: true }, from, to).bits
  return bits === undefined ? rangeText(type, key) : `${valueText(type, key.from)}/${bits}`
}

/** Text of a comparison under a mask, without the selector. */
export function maskedText(type: DataType, { value, mask }: Masked<Plain>, op: '!=' | undefined): string {
  const not = op === undefined ? '' : '!= '
  if (type.flags === true) return bitsText(listText(value), listText(mask), op)
  const hasLength = type === dataTypes.mark || type.networks === true
  const length = hasLength ? onesBefore(type.write(mask)?.from ?? new Uint8Array()) : undefined
  if (length !== undefined) return `${not}${valueText(type, value)}${length === 8 * type.length ? '' : `/${length}`}`
  return `& ${valueText(type, mask)} ${op ?? '=='} ${valueText(type, value)}`
}

function bitsText(value: string, mask: string, op: '!=' | undefined): string {
  if (value === '' && op === undefined) return `! ${mask}`
  if (value === mask && !value.includes(',')) return `& ${mask} ${op ?? '=='} ${value}`
  return `${op === undefined ? '' : '!= '}${value} / ${mask}`
}

/** Text of a packet or connection mark, as nft prints it. */
export const markText = (mark: number): string => `0x${mark.toString(16).padStart(8, '0')}`

/** True if a set key is a range. */
export const isRange = (value: unknown): value is Range<Plain> =>
  typeof value === 'object' && value !== null && 'from' in value

const namesOf: ReadonlyMap<DataType, ReadonlyMap<number, string>> = new Map<DataType, ReadonlyMap<number, string>>([
  [dataTypes.inet_proto, protocolNames],
  [dataTypes.icmp_type, icmpTypes],
  [dataTypes.icmpv6_type, icmpv6Types],
])

const listText = (value: unknown): string => (Array.isArray(value) ? value.join(',') : String(value))

/** Escapes a `*` at the end, because nft would read `eth*` as a prefix. */
const nameText = (name: string): string => name.replace(/\*$/, '\\*')

/** Text of an IPv6 address as `inet_ntop` writes it, such as `::10.0.0.1`. */
function addressText(type: DataType, value: Plain): string {
  const span = type.write(value)
  const text = String((span && type.read(span)) ?? value)
  const [, high = '', low = '', length = ''] = /^::([0-9a-f]{1,4}):([0-9a-f]{1,4})(\/\d+)?$/.exec(text) ?? []
  if (high === '') return text
  const words = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return `::${words.map((word) => `${word >> 8}.${word & 0xff}`).join('.')}${length}`
}
