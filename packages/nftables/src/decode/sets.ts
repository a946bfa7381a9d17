import { type DataType, dataTypes, type Plain } from '../rules/data-type.ts'
import type { NamedSet, SetElement } from '../rules/model.ts'
import { inOrder, keyOf, spanOf } from '../rules/spans.ts'
import type { Key, SetType } from '../rules/values.ts'
import type { NftElement } from '../wire/dumps/set-records.ts'
import { isEnd, spansOf, valueIn } from './keys.ts'
import type { SetRecord } from './reading.ts'

/** Decodes a named set or map. `undefined` if the data model cannot express the set. */
export function decodeSet({ set, elements }: SetRecord): NamedSet | undefined {
  const { keyType, dataType, flags = [], timeout, size, comment } = set
  const parts = partsOf(keyType)
  const types = parts.flatMap((number) => setTypes.get(number) ?? [])
  const data = dataType === undefined || dataType === 'verdict' ? dataType : setTypes.get(dataType)?.name
  const isOther = flags.some((flag) => !modelled.has(flag))
  const [first] = types
  if (first === undefined || types.length !== parts.length || isOther) return undefined
  if (flags.includes('map') !== (data !== undefined)) return undefined
  const interval = flags.includes('interval')
  const decoded = types.length === 1 ? single(first.type, interval, elements) : several(types, interval, elements)
  const withData = decoded?.map(({ key, element }) => elementOf(key, element, dataType))
  if (withData === undefined || !withData.every((element) => element !== undefined)) return undefined
  return {
    name: set.set,
    key: types.length === 1 ? first.name : types.map(({ name }) => name),
    ...(data === undefined ? {} : { data }),
    ...(interval ? { interval } : {}),
    ...(flags.includes('timeout') ? { timeout: Number(timeout ?? 0n) } : {}),
    ...(size === undefined ? {} : { size }),
    ...(comment === undefined ? {} : { comment }),
    elements: withData,
  }
}

const modelled: ReadonlySet<string> = new Set(['map', 'interval', 'timeout', 'concat'])

interface Typed {
  readonly name: SetType
  readonly type: DataType
}

const setTypeNames = [
  ...(['ipv4_addr', 'ipv6_addr', 'inet_proto', 'inet_service', 'ifname', 'mark', 'uid', 'gid'] as const),
]

/** Key and data types of sets that the data model knows, by nft's type number. */
const setTypes: ReadonlyMap<number, Typed> = new Map(
  setTypeNames.map((name) => [dataTypes[name].number, { name, type: dataTypes[name] }]),
)

const BITS = 6

/** Splits the type number of a concatenated key into its parts of six bits. */
export function partsOf(keyType: number): number[] {
  const parts: number[] = []
  for (let rest = keyType; rest > 0; rest >>>= BITS) parts.unshift(rest & (2 ** BITS - 1))
  return parts
}

interface Decoded {
  readonly key: SetElement['key']
  readonly element: NftElement
}

function single(type: DataType, interval: boolean, elements: readonly NftElement[]): Decoded[] | undefined {
  if (elements.some(({ flags }) => flags?.includes('catchAll') === true)) return undefined
  const found = spansOf(type, interval, elements).map(({ element, span }) => ({
    element,
    key: span && keyOf(type, span),
  }))
  // The type cast is safe, because `spansOf` decoded the keys with the data type of the set.
  return found.every(({ key }) => key !== undefined) ? (found as unknown as Decoded[]) : undefined
}

/** Decodes set elements whose keys have several parts, padded to four bytes. */
function several(types: readonly Typed[], interval: boolean, elements: readonly NftElement[]): Decoded[] | undefined {
  const found: Decoded[] = []
  for (const element of elements) {
    const parts = partsIn(types, interval, element)
    if (parts === undefined || isEnd(element)) return undefined
    // The type cast is safe, because `partsIn` decoded each part of the key with its data type.
    found.push({ element, key: parts as SetElement['key'] })
  }
  return found
}

function partsIn(types: readonly Typed[], interval: boolean, { key, keyEnd }: NftElement): Key<Plain>[] | undefined {
  if (key === undefined || (keyEnd !== undefined && !interval)) return undefined
  const parts: Key<Plain>[] = []
  let at = 0
  for (const { type } of types) {
    const from = key.subarray(at, at + type.length)
    const to = (keyEnd ?? key).subarray(at, at + type.length)
    const part = Buffer.compare(from, to) === 0 ? valueIn(type, from) : rangeIn(type, from, to)
    if (part === undefined) return undefined
    parts.push(part)
    at += (type.length + 3) & ~3
  }
  return at === key.length ? parts : undefined
}

function rangeIn(type: DataType, from: Uint8Array, to: Uint8Array): Key<Plain> | undefined {
  if (from.length !== type.length || to.length !== type.length) return undefined
  const [low, high] = [inOrder(type, from), inOrder(type, to)]
  return Buffer.compare(low, high) > 0 ? undefined : keyOf(type, spanOf(type, low, high))
}

function elementOf(
  key: SetElement['key'],
  element: NftElement,
  dataType: number | 'verdict' | undefined,
): SetElement | undefined {
  const { timeout, comment } = element
  const data = dataType === undefined ? undefined : dataIn(dataType, element.data)
  if (dataType !== undefined && data === undefined) return undefined
  return {
    key,
    ...(data === undefined ? {} : { data }),
    ...(comment === undefined ? {} : { comment }),
    ...(timeout === undefined ? {} : { timeout: Number(timeout) }),
  }
}

function dataIn(type: number | 'verdict', data: NftElement['data']): SetElement['data'] | undefined {
  if (data === undefined) return undefined
  if (!(data instanceof Uint8Array)) return type === 'verdict' ? data : undefined
  const typed = type === 'verdict' ? undefined : setTypes.get(type)
  const value = typed && valueIn(typed.type, data)
  return typeof value === 'string' || typeof value === 'number' ? value : undefined
}
