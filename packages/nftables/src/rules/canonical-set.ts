import { invalid } from '../wire/nft-error.ts'
import { compareBytes } from './compare-bytes.ts'
import { keySpan, wrong } from './compared.ts'
import { type DataType, dataTypes, type Span } from './data-type.ts'
import type { NamedSet, SetElement } from './model.ts'
import { checkName, checkText } from './names.ts'
import { isPoint, keyOf } from './spans.ts'
import type { SetType } from './values.ts'

/** Data types of the parts of a set's key. Throws `NftError('INVALID')`. */
export function keyTypes({ name, key }: Pick<NamedSet, 'name' | 'key'>): readonly DataType[] {
  const list: readonly SetType[] = typeof key === 'string' ? [key] : key
  if (list.length === 0) invalid(`set ${name}: a key has at least one part`)
  return list.map((each) => typeOf(each, `set ${name}`))
}

/** Data type of the values of a map. `undefined` for sets, and for maps of verdicts. Throws `NftError('INVALID')`. */
export const dataTypeOf = ({ name, data }: Pick<NamedSet, 'name' | 'data'>): DataType | undefined =>
  data === undefined || data === 'verdict' ? undefined : typeOf(data, `map ${name}`)

/** Key of a set element as bytes: one range for each part of the key. Throws `NftError('INVALID')`. */
export function keySpans(set: NamedSet, types: readonly DataType[], { key }: SetElement): readonly Span[] {
  const what = `set ${set.name}`
  const parts: readonly unknown[] = types.length > 1 && Array.isArray(key) ? key : [key]
  if (parts.length !== types.length) wrong(key, `a key of ${types.length} parts`, what)
  return types.map((type, at) => {
    const span = keySpan(type, parts[at], what)
    if (set.interval !== true && !isPoint(span)) wrong(parts[at], 'a single value: the set has no intervals', what)
    return span
  })
}

/** Validates a named set and returns its canonical form, frozen. Throws `NftError('INVALID')`. */
export function canonicalSet(set: NamedSet, table: string): NamedSet {
  checkName(set.name, `table ${table}`)
  const types = keyTypes(set)
  const { name, key, data, interval, timeout, size, comment, elements } = set
  if (comment !== undefined) checkText(comment, 120, `set ${name}: comment`)
  for (const each of [timeout, size]) {
    if (each !== undefined && (!Number.isSafeInteger(each) || each < 0))
      wrong(each, 'an unsigned integer', `set ${name}`)
  }
  return Object.freeze({
    ...{ name, key: typeof key === 'string' ? key : Object.freeze([...key]) },
    ...(data === undefined ? undefined : { data }),
    ...(interval === true ? { interval } : undefined),
    ...(timeout === undefined ? undefined : { timeout }),
    ...(size === undefined ? undefined : { size }),
    ...(comment === undefined ? undefined : { comment }),
    ...(elements === undefined ? undefined : { elements: canonicalElements(set, types, elements) }),
  })
}

// internal

function canonicalElements(
  set: NamedSet,
  types: readonly DataType[],
  elements: readonly SetElement[],
): readonly SetElement[] {
  const sorted = elements
    .map((element) => [keySpans(set, types, element), element] as const)
    .sort(([a], [b]) => compareSpans(a, b))
  const canonical = sorted.map(([spans, element]) => {
    const parts = spans.map((span, at) => keyOf(types[at] ?? dataTypes.mark, span))
    // The type cast is safe, because `keySpans` has validated the parts of the key.
    const key = (parts.length > 1 ? Object.freeze(parts) : parts[0]) as SetElement['key']
    return Object.freeze({ ...element, key, ...dataIn(set, element) })
  })
  return Object.freeze(canonical.filter((element, at) => !isRepeated(set, element, canonical[at - 1])))
}

/** True if an element has the same key as the element before it. */
function isRepeated({ name }: NamedSet, element: SetElement, before: SetElement | undefined): boolean {
  if (before === undefined || JSON.stringify(element.key) !== JSON.stringify(before.key)) return false
  const said = ({ data, comment, timeout }: SetElement) => JSON.stringify([data, comment, timeout])
  if (said(element) !== said(before)) {
    invalid(
      `set ${name}: element ${JSON.stringify(element.key)} is given twice, with different data, comment or timeout`,
    )
  }
  return true
}

function dataIn(set: NamedSet, { data }: SetElement): Pick<SetElement, 'data'> {
  const type = dataTypeOf(set)
  const span = type?.write(data)
  const read = span && type?.read(span)
  return typeof read === 'string' || typeof read === 'number' ? { data: read } : {}
}

function compareSpans(a: readonly Span[], b: readonly Span[]): number {
  for (const [at, span] of a.entries()) {
    const other = b[at]
    const order = other === undefined ? 0 : compareBytes(span.from, other.from)
    if (order !== 0) return order
  }
  return 0
}

function typeOf(type: SetType, what: string): DataType {
  return SET_TYPES.includes(type) ? dataTypes[type] : wrong(type, `one of ${SET_TYPES.join(', ')}`, what)
}

const SET_TYPES: readonly SetType[] = [
  ...(['ipv4_addr', 'ipv6_addr', 'inet_proto', 'inet_service', 'ifname', 'mark', 'uid', 'gid'] as const),
]
