import { compareBytes } from '../rules/compare-bytes.ts'
import { type DataType, dataTypes, type Plain } from '../rules/data-type.ts'
import type { NamedSet, SetElement } from '../rules/model.ts'
import { inOrder } from '../rules/spans.ts'
import type { Key } from '../rules/values.ts'
import type { Verdict } from '../wire/fields/verdict.ts'
import type { SetText } from './set-text.ts'
import { inListOrder, verdictText } from './statement.ts'
import { timeText } from './times.ts'
import { isRange, keyText, valueText } from './values.ts'

/** Text of a ruleset's named set, as `nft list` prints a set. */
export function namedSetText(set: NamedSet): SetText {
  const { name, key, data, interval, timeout, size, comment, elements = [] } = set
  const keys: readonly (keyof typeof dataTypes)[] = typeof key === 'string' ? [key] : key
  const types = keys.map((each) => dataTypes[each])
  const isMap = data !== undefined
  return {
    ...{ name, isMap, size, comment },
    type: isMap ? `${keys.join(' . ')} : ${data}` : keys.join(' . '),
    flags: [...(interval === true ? ['interval'] : []), ...(timeout === undefined ? [] : ['timeout'])],
    timeout: timeout === undefined || timeout === 0 ? undefined : timeText(timeout),
    elements: ordered(types, interval === true, elements).map((element) => elementText(types, data, element)),
  }
}

function elementText(types: readonly DataType[], data: NamedSet['data'], element: SetElement): string {
  const { timeout, comment } = element
  const words = [
    partsOf(element)
      .map((part, at) => keyText(types[at] ?? dataTypes.inet_service, part))
      .join(' . '),
  ]
  if (timeout !== undefined) words.push(`timeout ${timeText(timeout)}`)
  if (comment !== undefined) words.push(`comment "${comment}"`)
  if (element.data !== undefined && data !== undefined) words.push(`: ${dataText(data, element.data)}`)
  return words.join(' ')
}

/** Text of a map element's data. */
export function dataText(type: NonNullable<NamedSet['data']>, data: string | number | Verdict): string {
  if (typeof data === 'object') return verdictText(data)
  return type === 'verdict' ? String(data) : valueText(dataTypes[type], data)
}

/** Parts of a set key. A concatenated key has several parts. */
function partsOf({ key }: SetElement): readonly Key<Plain>[] {
  return isParts(key) ? key : [key]
}

const isParts = (key: SetElement['key']): key is Extract<SetElement['key'], readonly unknown[]> => Array.isArray(key)

/** Sorts set elements for printing, as nft does. nft does not sort concatenated keys of interval sets. */
function ordered(
  types: readonly DataType[],
  interval: boolean,
  elements: readonly SetElement[],
): readonly SetElement[] {
  const [type] = types
  if (type === undefined || (types.length > 1 && interval)) return elements
  if (types.length === 1) return inListOrder(type, elements, (element) => partsOf(element)[0] ?? '', interval)
  const keyed = elements.map((element) => ({ element, bytes: bytesOf(types, partsOf(element)) }))
  return keyed.sort((a, b) => compareBytes(a.bytes, b.bytes)).map(({ element }) => element)
}

/** Bytes of a concatenated key, which nft sorts as one little-endian number. */
function bytesOf(types: readonly DataType[], parts: readonly Key<Plain>[]): Uint8Array {
  const written = parts.map((part, at) => {
    const type = types[at]
    const from = type?.write(isRange(part) ? part.from : part)?.from
    return type === undefined || from === undefined ? new Uint8Array() : inOrder(type, from)
  })
  return Uint8Array.from(written.flatMap((part) => [...part])).reverse()
}
