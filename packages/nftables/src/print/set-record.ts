import { isEnd, spansOf, valueIn } from '../decode/keys.ts'
import type { SetRecord } from '../decode/reading.ts'
import { partsOf } from '../decode/sets.ts'
import { compareBytes } from '../rules/compare-bytes.ts'
import { type DataType, dataTypes, type Plain, type Span } from '../rules/data-type.ts'
import { inOrder, keyOf, spanOf } from '../rules/spans.ts'
import type { NftElement } from '../wire/dumps/set-records.ts'
import { decodeUserdata } from '../wire/userdata.ts'
import type { SetText } from './set-text.ts'
import { type PrintOptions, verdictText } from './statement.ts'
import { timeText } from './times.ts'
import { keyText, valueText } from './values.ts'

/** Text of a set as `nft list` prints it, with numbers for unknown types. */
export function setRecordText({ set, elements }: SetRecord, options: PrintOptions = {}): SetText {
  const { flags = [], keyType, dataType, timeout = 0n, size, comment, userdata } = set
  const types = partsOf(keyType)
  const isMap = flags.includes('map')
  const key = types.map(typeName).join(' . ')
  const data = dataType === 'verdict' || dataType === undefined ? dataType : partsOf(dataType).map(typeName).join(' . ')
  return {
    ...{ name: set.set, isMap, size, comment },
    type: isMap ? `${key} : ${data ?? 'object'}` : key,
    flags: shownFlags.filter((flag) => flags.includes(flag)),
    autoMerge: decodeUserdata(userdata ?? new Uint8Array()).some(([type, [on]]) => type === AUTO_MERGE && on === 1),
    timeout: timeout === 0n ? undefined : timeText(Number(timeout)),
    elements: listed(types, flags.includes('interval'), elements).map((listed) =>
      elementText(listed, set.dataType, options),
    ),
  }
}

const shownFlags = ['constant', 'dynamic', 'interval', 'timeout'] as const

/** Type number of the entry for `auto-merge` in the user data that nft stores with a set. */
const AUTO_MERGE = 2

/** Names of nft's data types, by type number. */
const typeNames: readonly string[] = [
  ...['', 'verdict', 'nf_proto', 'bitmask', 'integer', 'string', 'll_addr', 'ipv4_addr', 'ipv6_addr', 'ether_addr'],
  ...['ether_type', 'arp_op', 'inet_proto', 'inet_service', 'icmp_type', 'tcp_flag', 'dccp_pkttype', 'mh_type'],
  ...['time', 'mark', 'iface_index', 'iface_type', 'realm', 'classid', 'uid', 'gid', 'ct_state', 'ct_dir'],
  ...['ct_status', 'icmpv6_type', 'ct_label', 'pkt_type', 'icmp_code', 'icmpv6_code', 'icmpx_code', 'devgroup'],
  ...['dscp', 'ecn', 'fib_addrtype', 'boolean', 'ct_event', 'ifname', 'igmp_type', 'time', 'hour', 'day', 'cgroupsv2'],
]
const typeName = (number: number): string => typeNames[number] ?? `type ${number}`

const typesByNumber: ReadonlyMap<number, DataType> = new Map(
  Object.values(dataTypes).map((type) => [type.number, type]),
)

interface Listed {
  readonly element: NftElement
  readonly key: string
}

/** Elements of a kernel set with their keys as text, in nft's order. */
function listed(types: readonly number[], interval: boolean, elements: readonly NftElement[]): Listed[] {
  const rest = elements.filter(({ flags }) => flags?.includes('catchAll') === true)
  const keyed = elements.filter((element) => !rest.includes(element))
  const [number = 0] = types
  const type = types.length === 1 ? typesByNumber.get(number) : undefined
  const found =
    type !== undefined
      ? ofType(type, interval, keyed)
      : types.length === 1
        ? unknown(keyed)
        : several(types, interval, keyed)
  return [...found, ...rest.map((element) => ({ element, key: '*' }))]
}

function ofType(type: DataType, interval: boolean, elements: readonly NftElement[]): Listed[] {
  const found = spansOf(type, interval, elements).map(({ element, span }) => ({
    element,
    key: spanText(type, span, element),
    span,
  }))
  if (interval || type !== dataTypes.ifname) return found
  const machine = (span: Span | undefined) => Uint8Array.from(span?.from ?? []).reverse()
  return found.sort((a, b) => compareBytes(machine(a.span), machine(b.span)))
}

function spanText(type: DataType, span: Span | undefined, { key }: NftElement): string {
  const read = span && keyOf(type, span)
  return read === undefined ? hex(key) : keyText(type, read)
}

const unknown = (elements: readonly NftElement[]): Listed[] =>
  elements.filter((element) => !isEnd(element)).map((element) => ({ element, key: hex(element.key) }))

const hex = (bytes: Uint8Array | undefined): string => `0x${Buffer.from(bytes ?? []).toString('hex')}`

/** Keys with several parts, as text. nft sorts them as little-endian numbers, except in interval sets. */
function several(types: readonly number[], interval: boolean, elements: readonly NftElement[]): Listed[] {
  const found = elements.map((element) => ({ element, key: partsText(types, element) }))
  if (interval) return found
  const machine = ({ key }: NftElement) => Uint8Array.from(key ?? []).reverse()
  return found.sort((a, b) => compareBytes(machine(a.element), machine(b.element)))
}

function partsText(types: readonly number[], { key, keyEnd = key }: NftElement): string {
  let at = 0
  const texts: string[] = []
  for (const number of types) {
    const type = typesByNumber.get(number)
    // Prints the key in hexadecimal, because a part of unknown type has an unknown length.
    if (type === undefined || key === undefined || keyEnd === undefined) return hex(key)
    texts.push(partText(type, key.subarray(at, at + type.length), keyEnd.subarray(at, at + type.length)))
    at += (type.length + 3) & ~3
  }
  return texts.join(' . ')
}

function partText(type: DataType, from: Uint8Array, to: Uint8Array): string {
  if (from.length !== type.length || to.length !== type.length) return hex(from)
  const span = spanOf(type, inOrder(type, from), inOrder(type, to))
  return spanText(type, compareBytes(from, to) === 0 ? { from: span.from, to: span.to } : span, { key: from })
}

function elementText(
  { element, key }: Listed,
  dataType: number | 'verdict' | undefined,
  { stateless = false }: PrintOptions,
): string {
  const { timeout, expiration, comment, data } = element
  const words = [key]
  if (timeout !== undefined) words.push(`timeout ${timeText(Number(timeout))}`)
  if (expiration !== undefined && !stateless) words.push(`expires ${timeText(Number(expiration))}`)
  if (comment !== undefined) words.push(`comment "${comment}"`)
  if (data !== undefined && dataType !== undefined) words.push(`: ${dataText(dataType, data)}`)
  return words.join(' ')
}

function dataText(dataType: number | 'verdict', data: NonNullable<NftElement['data']>): string {
  if (!(data instanceof Uint8Array)) return verdictText(data)
  const types = dataType === 'verdict' ? [] : partsOf(dataType)
  if (types.length > 1) return partsText(types, { key: data })
  const type = typesByNumber.get(types[0] ?? 0)
  const value: Plain | undefined = type && valueIn(type, data)
  return type === undefined || value === undefined ? hex(data) : valueText(type, value)
}
