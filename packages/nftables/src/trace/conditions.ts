import { comparison, vmapSpans } from '../rules/canonical.ts'
import { compareBytes } from '../rules/compare-bytes.ts'
import { type Compared, spanIn } from '../rules/compared.ts'
import { type DataType, dataTypes, type Span } from '../rules/data-type.ts'
import type { NamedSet, SetElement, Table } from '../rules/model.ts'
import { selectors } from '../rules/selector.ts'
import type { Match, MatchOp, Vmap } from '../rules/statement.ts'
import type { Verdict } from '../wire/fields/verdict.ts'
import { type FieldValues, valuesOfField } from './fields.ts'
import type { TracedPacket } from './traced-packet.ts'

/** True if a traced packet meets a condition of a rule. `undefined` if the trace cannot know. */
export function meets(match: Match, table: Table, traced: TracedPacket): boolean | undefined {
  const values = valuesOfField(match.kind, traced)
  const compared = comparison(match)
  if (compared.is === 'named')
    return inNamed(
      values,
      table.sets.find(({ name }) => name === compared.name),
      match.op,
    )
  return decided(values, (bytes) => holds(selectors[match.kind].type, bytes, match.op, compared))
}

/** Verdict of a verdict map for a traced packet. `'none'` if no key matches, `undefined` if unknown. */
export function verdictIn(vmap: Vmap, table: Table, traced: TracedPacket): Verdict | 'none' | undefined {
  const values = valuesOfField(vmap.on, traced)
  if (values === undefined) return undefined
  const entries = verdictsOf(vmap, table)
  if (entries === undefined) return undefined
  const found = values.map((bytes) => entries.find(([span]) => isIn(bytes, span))?.[1])
  const [first] = found
  return found.every((each) => each === first) ? (first ?? 'none') : undefined
}

/** Common result for all possible values of the packet's field; `undefined` if the results differ. */
function decided(values: FieldValues, holds: (bytes: Uint8Array) => boolean): boolean | undefined {
  if (values === undefined) return undefined
  const answers = values.map(holds)
  if (answers.every((each) => !each)) return false
  return answers.every((each) => each) ? true : undefined
}

function holds(type: DataType, bytes: Uint8Array, op: MatchOp | undefined, compared: Compared): boolean {
  if (compared.is === 'one' && op !== undefined && op !== '!=') {
    const order = compareBytes(bytes, compared.span.from)
    return op === '<' ? order < 0 : op === '<=' ? order <= 0 : op === '>' ? order > 0 : order >= 0
  }
  // A condition without an operator matches any of the flags. `!=` compares all flags as one number.
  const anyBit = compared.is === 'one' && type.flags === true && op === undefined
  const equal = anyBit
    ? compared.span.from.some((byte, at) => (byte & (bytes[at] ?? 0)) !== 0)
    : isEqual(bytes, compared)
  return equal === (op !== '!=')
}

function isEqual(bytes: Uint8Array, compared: Compared): boolean {
  switch (compared.is) {
    case 'one':
    case 'range':
      return isIn(bytes, compared.span)
    case 'set':
      return compared.spans.some((span) => isIn(bytes, span))
    case 'masked':
      return bytes.every((byte, at) => (byte & (compared.mask[at] ?? 0)) === compared.value[at])
    case 'named':
      return false
  }
}

const isIn = (bytes: Uint8Array, { from, to }: Span): boolean =>
  compareBytes(bytes, from) >= 0 && compareBytes(bytes, to) <= 0

function inNamed(values: FieldValues, set: NamedSet | undefined, op: MatchOp | undefined): boolean | undefined {
  const spans = set && spansOf(set)
  if (spans === undefined) return undefined
  return decided(values, (bytes) => spans.some(([span]) => isIn(bytes, span)) === (op !== '!='))
}

/** Elements of a named set with byte ranges; `undefined` for unknown elements or concatenated keys. */
function spansOf({ name, key, elements }: NamedSet): readonly (readonly [Span, SetElement])[] | undefined {
  const [only, ...more] = typeof key === 'string' ? [key] : key
  if (elements === undefined || only === undefined || more.length > 0) return undefined
  return elements.map((element) => [spanIn(dataTypes[only], element.key, `set ${name}`), element])
}

function verdictsOf(vmap: Vmap, table: Table): readonly (readonly [Span, Verdict])[] | undefined {
  const { map } = vmap
  if (!('named' in map)) return vmapSpans(vmap).map(([span, { verdict }]) => [span, verdict])
  const set = table.sets.find(({ name }) => name === map.named)
  return (set && spansOf(set))?.flatMap(([span, { data }]) => (typeof data === 'object' ? [[span, data] as const] : []))
}
