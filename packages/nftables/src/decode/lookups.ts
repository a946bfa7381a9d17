import type { DataType, Plain } from '../rules/data-type.ts'
import { selectors } from '../rules/selector.ts'
import { keyOf } from '../rules/spans.ts'
import type { Statement } from '../rules/statement.ts'
import type { Key } from '../rules/values.ts'
import type { Expressions } from '../wire/expressions/expression-types.ts'
import type { Verdict } from '../wire/fields/verdict.ts'
import { isEnd, spansOf } from './keys.ts'
import type { Loaded } from './loads.ts'
import { type Read, type Reading, read, type SetRecord } from './reading.ts'

const INVERTED = 1

/** Decodes a lookup of a loaded field in a set or a verdict map. */
export function lookedUp(
  { sets }: Reading,
  { set: name, setId, sreg, dreg, flags = 0 }: Expressions['lookup'],
  { selector, bytes, ports }: Loaded,
  isTurned: boolean,
): Read | undefined {
  const record = sets.get(name)
  if (record === undefined || setId !== undefined || sreg !== 1 || bytes !== undefined || ports !== undefined) {
    return undefined
  }
  const { set } = record
  const { type } = selectors[selector]
  const interval = set.flags?.includes('interval') === true
  if (set.keyLength !== type.length || isTurned !== (interval && type.host === true)) return undefined
  const isNamed = set.flags?.includes('anonymous') !== true
  const isMap = set.flags?.includes('map') === true
  if (dreg === undefined && !isMap && (flags & ~INVERTED) === 0) {
    const value = isNamed ? { named: name } : setOf(type, interval, record)
    // The type cast is safe, because the keys of the set have the data type of `selector`.
    const statement = { kind: selector, ...(flags === INVERTED ? { op: '!=' } : {}), value } as Statement
    return value === undefined ? undefined : read(1, statement)
  }
  if (dreg !== 0 || flags !== 0 || set.dataType !== 'verdict') return undefined
  const map = isNamed ? { named: name } : mapOf(type, interval, record)
  // The type cast is safe, because the keys of the map have the data type of `selector`.
  return map === undefined ? undefined : read(1, { kind: 'vmap', on: selector, map } as Statement)
}

function setOf(type: DataType, interval: boolean, { elements }: SetRecord): { set: readonly Key<Plain>[] } | undefined {
  const keys: Key<Plain>[] = []
  for (const { element, span } of spansOf(type, interval, elements)) {
    const key = span && keyOf(type, span)
    if (key === undefined || element.data !== undefined || isNoted(element)) return undefined
    keys.push(key)
  }
  return isWhole(elements) ? { set: keys } : undefined
}

function mapOf(
  type: DataType,
  interval: boolean,
  { elements }: SetRecord,
): { elements: readonly { readonly key: Key<Plain>; readonly verdict: Verdict }[] } | undefined {
  const found: { readonly key: Key<Plain>; readonly verdict: Verdict }[] = []
  for (const { element, span } of spansOf(type, interval, elements)) {
    const key = span && keyOf(type, span)
    const { data } = element
    if (key === undefined || data === undefined || data instanceof Uint8Array || isNoted(element)) return undefined
    found.push({ key, verdict: data })
  }
  return isWhole(elements) ? { elements: found } : undefined
}

/** True if a set element has a comment or a timeout. */
const isNoted = ({ comment, timeout }: SetRecord['elements'][number]): boolean =>
  comment !== undefined || timeout !== undefined

/** True if nft can print the set's elements inside a rule. */
const isWhole = (elements: SetRecord['elements']): boolean =>
  elements.some((element) => !isEnd(element)) && elements.every(({ flags }) => flags?.includes('catchAll') !== true)
