import { dataTypeOf, keySpans, keyTypes } from '../rules/canonical-set.ts'
import { shown, wrong } from '../rules/compared.ts'
import type { DataType, Span } from '../rules/data-type.ts'
import type { NamedSet, SetElement } from '../rules/model.ts'
import { inOrder, isPoint } from '../rules/spans.ts'
import type { Verdict } from '../wire/fields/verdict.ts'
import { invalid } from '../wire/nft-error.ts'
import type { ElementSpec, SetFlag } from '../wire/specs.ts'
import { encodeUserdata } from '../wire/userdata.ts'
import { type Entry, intervalElements, pointElements } from './anonymous-set.ts'
import type { EncodedSet } from './encoded.ts'

const PART_BITS = 6

/** Encodes a named set, and the elements if the ruleset owns them. Throws `NftError('INVALID')`. */
export function encodeNamedSet(set: NamedSet): EncodedSet {
  const types = keyTypes(set)
  const [single] = types
  const data = dataTypeOf(set)
  const { timeout, size } = set
  const lengths = types.map(({ length }) => length)
  const flags: SetFlag[] = [
    ...(set.interval === true ? (['interval'] as const) : []),
    ...(set.data === undefined ? [] : (['map'] as const)),
    ...(timeout === undefined ? [] : (['timeout'] as const)),
    ...(set.interval === true && types.length > 1 ? (['concat'] as const) : []),
  ]
  return {
    flags,
    keyType: types.reduce((sum, { number }) => sum * 2 ** PART_BITS + number, 0),
    keyLength: types.length === 1 && single ? single.length : lengths.reduce((sum, length) => sum + padded(length), 0),
    ...(set.data === 'verdict' ? { dataType: 'verdict', dataLength: 16 } : undefined),
    ...(data === undefined ? undefined : { dataType: data.number, dataLength: data.length }),
    ...(size === undefined ? undefined : { size }),
    ...(flags.includes('concat') ? { concat: lengths } : undefined),
    ...(timeout === undefined || timeout === 0 ? undefined : { timeout: BigInt(timeout) }),
    userdata: noteOf(set, types, data),
    elements: encodeElements(set, set.elements ?? []),
  }
}

/** Encodes elements of a named set, to add or to delete the elements. Throws `NftError('INVALID')`. */
export function encodeElements(set: NamedSet, elements: readonly SetElement[]): ElementSpec[] {
  const types = keyTypes(set)
  const [single] = types
  const result: ElementSpec[] = []
  for (const element of elements) {
    const spans = keySpans(set, types, element)
    const data = dataOf(set, element)
    for (const each of specsOf(set, types, single, spans, data)) {
      result.push(each.flags?.includes('intervalEnd') ? each : withNotes(each, element))
    }
  }
  // Adds one end element at the lowest value to the elements of an interval set, as nft does.
  const isRanges = set.interval === true && types.length === 1 && single !== undefined && result.length > 0
  const starts = result.some(({ key, flags }) => flags === undefined && key?.every((byte) => byte === 0))
  return isRanges && !starts ? [{ key: new Uint8Array(single.length), flags: ['intervalEnd'] }, ...result] : result
}

// internal

/** Adds comment and timeout to a set element. Keeps user data that the element already has. */
function withNotes(spec: ElementSpec, { comment, timeout }: SetElement): ElementSpec {
  const timed = timeout === undefined ? spec : { ...spec, timeout: BigInt(timeout) }
  if (comment === undefined) return timed
  if (timed.userdata === undefined) return { ...timed, comment }
  const note = encodeUserdata([[COMMENT, Buffer.from(`${comment}\0`)]])
  return { ...timed, userdata: Buffer.concat([note, timed.userdata]) }
}

const COMMENT = 0

function specsOf(
  { interval }: NamedSet,
  types: readonly DataType[],
  single: DataType | undefined,
  spans: readonly Span[],
  data: Uint8Array | Verdict | undefined,
): readonly ElementSpec[] {
  const [span] = spans
  if (types.length === 1 && single !== undefined && span !== undefined) {
    const entry: Entry = data === undefined ? [span] : [span, data]
    if (interval !== true) return pointElements(single, [entry])
    // Leaves out the end element at the lowest value. `encodeElements` adds this element once for the whole set.
    return intervalElements(single, [entry]).filter(({ flags }, at) => at > 0 || flags === undefined)
  }
  const key = joined(
    types,
    spans.map(({ from }) => from),
  )
  const keyEnd =
    interval === true
      ? {
          keyEnd: joined(
            types,
            spans.map(({ to }) => to),
          ),
        }
      : undefined
  return [{ key, ...keyEnd, ...(data === undefined ? undefined : { data }) }]
}

/** Joins the parts of a concatenated set key, each padded to four bytes. */
function joined(types: readonly DataType[], parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(types.reduce((sum, { length }) => sum + padded(length), 0))
  let at = 0
  for (const [index, type] of types.entries()) {
    bytes.set(inOrder(type, parts[index] ?? new Uint8Array(0)), at)
    at += padded(type.length)
  }
  return bytes
}

const padded = (length: number) => (length + 3) & ~3

function dataOf(set: NamedSet, { data }: SetElement): Uint8Array | Verdict | undefined {
  const what = `map ${set.name}`
  if (set.data === undefined)
    return data === undefined
      ? undefined
      : invalid(`set ${set.name}: the element has data ${shown(data)}, which only a map takes`)
  if (set.data === 'verdict') return typeof data === 'object' ? data : wrong(data, 'a verdict', what)
  const type = dataTypeOf(set)
  const span = type?.write(data)
  return type !== undefined && span !== undefined && isPoint(span)
    ? inOrder(type, span.from)
    : wrong(data, type?.expected ?? '', what)
}

/** User data that nft stores with a named set: byte orders of keys and data, and the comment. */
function noteOf({ comment, data }: NamedSet, types: readonly DataType[], dataType: DataType | undefined): Uint8Array {
  const order = types.length > 1 ? 0 : orderOf(types[0])
  return encodeUserdata([
    [0, word(order)],
    ...(data === undefined ? [] : ([[1, word(orderOf(dataType))]] as const)),
    ...(types.length > 1
      ? ([
          [
            3,
            encodeUserdata([
              [0, word(CONCATENATION)],
              [1, new Uint8Array(0)],
            ]),
          ],
        ] as const)
      : []),
    ...(data === undefined ? [] : ([[6, word(0)]] as const)),
    ...(comment === undefined ? [] : ([[7, Buffer.from(`${comment}\0`)]] as const)),
  ])
}

const CONCATENATION = 13
const PROTOCOL = 12

/** Byte order in nft's user data: 1 host, 2 network, 0 for protocols and verdicts. */
function orderOf(type: DataType | undefined): number {
  if (type === undefined || type.number === PROTOCOL) return 0
  return type.host === true || type.ordered !== true ? 1 : 2
}

const word = (value: number): Uint8Array => Uint8Array.of(value, 0, 0, 0)
