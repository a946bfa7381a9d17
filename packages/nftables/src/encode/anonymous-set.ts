import type { DataType, Span } from '../rules/data-type.ts'
import { isHeader, type SelectorSpec } from '../rules/selector.ts'
import { inOrder, isPoint, next } from '../rules/spans.ts'
import type { Verdict } from '../wire/fields/verdict.ts'
import type { ElementSpec } from '../wire/specs.ts'
import { encodeUserdata } from '../wire/userdata.ts'

/** Element of an nft set or map: the range of its keys, and the data of a map element. */
export type Entry = readonly [span: Span, data?: Uint8Array | Verdict]

/** True if a key range has several values and needs an interval set. */
export const isInterval = (spans: readonly Span[]): boolean => spans.some((span) => !isPoint(span))

/** Encodes single values as set elements, in the kernel's byte order. */
export function pointElements(type: DataType, entries: readonly Entry[]): ElementSpec[] {
  return entries.map(([span, data]) => ({
    key: inOrder(type, span.from),
    ...(data === undefined ? undefined : { data }),
  }))
}

/** User data of an interval that ends at the highest value and has no end element. */
const OPEN = encodeUserdata([[1, Uint8Array.of(1, 0, 0, 0)]])

/** Encodes sorted ranges as elements of an interval set, as nft does. */
export function intervalElements(type: DataType, entries: readonly Entry[]): ElementSpec[] {
  const elements: ElementSpec[] = []
  const first = entries[0]?.[0].from
  if (first?.some((byte) => byte !== 0)) elements.push({ key: new Uint8Array(type.length), flags: ['intervalEnd'] })
  for (const [at, [{ from, to }, data]] of entries.entries()) {
    const end = next(to)
    const found = { key: from, ...(data === undefined ? undefined : { data }) }
    elements.push(end === undefined ? { ...found, userdata: OPEN } : found)
    const following = entries[at + 1]?.[0].from
    const touches = end !== undefined && following !== undefined && Buffer.compare(end, following) === 0
    if (end !== undefined && !touches) elements.push({ key: end, flags: ['intervalEnd'] })
  }
  return elements
}

/** Size that nft declares for an interval set. The size includes end elements that nft omits. */
export function expectedSize(elements: readonly ElementSpec[], ranges: number): number {
  return 2 * ranges + (elements[0]?.flags === undefined ? 0 : 1)
}

const HOST = 1
const NETWORK = 2

/** User data of an anonymous set, which `nft list` needs to print the set. */
export function noteOf(
  spec: SelectorSpec,
  { interval, verdicts }: { readonly interval: boolean; readonly verdicts: boolean },
): Uint8Array {
  const order = [0, word(isHeader(spec) ? NETWORK : HOST)] as const
  const merge = interval ? ([[2, word(1)]] as const) : []
  if (verdicts) {
    const verdict = encodeUserdata([
      [0, word(1)],
      [1, new Uint8Array(0)],
    ])
    return encodeUserdata([order, [1, word(0)], [4, verdict], [6, word(0)]])
  }
  const [kind = 0, ...parts] = spec.noted
  const list = encodeUserdata(parts.map((part, at) => [at, word(part)]))
  return encodeUserdata([
    order,
    ...merge,
    [
      3,
      encodeUserdata([
        [0, word(kind)],
        [1, list],
      ]),
    ],
  ])
}

function word(value: number): Uint8Array {
  return Uint8Array.of(value & 0xff, (value >> 8) & 0xff, (value >> 16) & 0xff, value >>> 24)
}
