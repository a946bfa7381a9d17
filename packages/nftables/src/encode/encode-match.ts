import { comparison, vmapSpans } from '../rules/canonical.ts'
import type { Compared } from '../rules/compared.ts'
import type { Span } from '../rules/data-type.ts'
import { type SelectorSpec, selectors } from '../rules/selector.ts'
import { inOrder, maskOf } from '../rules/spans.ts'
import type { Match, MatchOp, Vmap } from '../rules/statement.ts'
import type { Expression } from '../wire/expressions/expression-types.ts'
import { expectedSize, intervalElements, isInterval, noteOf, pointElements } from './anonymous-set.ts'
import { expression, type Sink } from './encoded.ts'

const comparisons = { '!=': 'neq', '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' } as const

/**
 * Expression that converts a four-byte value in register 1 from host to network byte order, for comparisons by size.
 */
const byteorder = expression({ name: 'byteorder', sreg: 1, dreg: 1, op: 'hton', len: 4, size: 4 })

/** Encodes a condition of a rule as netlink expressions. Throws `NftError('INVALID')`. */
export function encodeMatch(match: Match, sink: Sink): void {
  const spec = selectors[match.kind]
  const compared = comparison(match)
  if (compared.is === 'one') encodeOne(spec, match.op, compared.span, sink)
  else encodeOther(spec, match.op, compared, sink)
}

/** Encodes a lookup in a verdict map. Throws `NftError('INVALID')`. */
export function encodeVmap(vmap: Vmap, { expressions, sets, context }: Sink): void {
  const spec = selectors[vmap.on]
  const { type } = spec
  const spans = vmapSpans(vmap)
  const named = 'named' in vmap.map ? vmap.map.named : undefined
  const interval = named === undefined ? isInterval(spans.map(([span]) => span)) : context.isInterval(named)
  expressions.push(spec.load)
  if (interval && type.host === true) expressions.push(byteorder)
  if (named !== undefined) {
    expressions.push({ name: 'lookup', set: named, sreg: 1, dreg: 0 })
    return
  }
  const elements = interval
    ? intervalElements(
        type,
        spans.map(([span, { verdict }]) => [span, verdict]),
      )
    : pointElements(
        type,
        spans.map(([span, { verdict }]) => [span, verdict]),
      )
  expressions.push({ name: 'lookup', set: '__map%d', setId: sets.length, sreg: 1, dreg: 0 })
  sets.push({
    flags: interval ? ['anonymous', 'constant', 'interval', 'map'] : ['anonymous', 'constant', 'map'],
    ...{ keyType: type.number, keyLength: type.length, dataType: 'verdict', dataLength: 16 },
    ...{
      size: interval ? expectedSize(elements, spans.length) : elements.length,
      userdata: noteOf(spec, { interval, verdicts: true }),
      elements,
    },
  })
}

/** Encodes conditions on both ports as one comparison, as nft does. */
export function encodePorts(sport: Match, dport: Match, { expressions }: Sink): boolean {
  const [source, destination] = [portOf(sport), portOf(dport)]
  if (source === undefined || destination === undefined) return false
  expressions.push(bothPorts, { name: 'cmp', sreg: 1, op: 'eq', data: Uint8Array.of(...source, ...destination) })
  return true
}

const bothPorts = expression({ name: 'payload', dreg: 1, base: 'transport', offset: 0, len: 4 })

/** Port of a condition as bytes, if the condition compares for equality with one port. */
function portOf({ op, value }: Match): Uint8Array | undefined {
  return op === undefined && typeof value === 'number' ? Uint8Array.of(value >> 8, value & 0xff) : undefined
}

function encodeOne(spec: SelectorSpec, op: MatchOp | undefined, span: Span, { expressions }: Sink): void {
  const { type, load } = spec
  const word = op === undefined ? 'eq' : comparisons[op]
  const { bits } = span
  if (bits === undefined) {
    if (type.flags === true && op === undefined) {
      const none = new Uint8Array(type.length)
      const mask = inOrder(type, span.from)
      expressions.push(load, bitwise(mask), { name: 'cmp', sreg: 1, op: 'neq', data: none })
    } else if (op !== undefined && op !== '!=' && type.host === true) {
      expressions.push(load, byteorder, { name: 'cmp', sreg: 1, op: word, data: span.from })
    } else expressions.push(load, { name: 'cmp', sreg: 1, op: word, data: inOrder(type, span.from) })
    return
  }
  const whole = bits % 8 === 0 && bits > 0 ? bits / 8 : undefined
  if (whole === undefined) {
    expressions.push(load, bitwise(maskOf(bits, type.length)), { name: 'cmp', sreg: 1, op: word, data: span.from })
  } else {
    const data = span.from.subarray(0, whole)
    expressions.push(shorter(load, whole), { name: 'cmp', sreg: 1, op: word, data })
  }
}

/** Shortens the load of a header field to its first `len` bytes, for networks. */
const shorter = (load: Expression, len: number): Expression => (load.name === 'payload' ? { ...load, len } : load)

function encodeOther(spec: SelectorSpec, op: MatchOp | undefined, compared: Compared, sink: Sink): void {
  const { type, load } = spec
  const { expressions } = sink
  expressions.push(load)
  switch (compared.is) {
    case 'range': {
      const { from, to } = compared.span
      if (type.host === true) expressions.push(byteorder)
      if (op === '!=') expressions.push({ name: 'range', sreg: 1, op: 'neq', from, to })
      else {
        expressions.push({ name: 'cmp', sreg: 1, op: 'gte', data: from }, { name: 'cmp', sreg: 1, op: 'lte', data: to })
      }
      break
    }
    case 'masked': {
      const data = inOrder(type, compared.value)
      expressions.push(bitwise(inOrder(type, compared.mask)))
      expressions.push({ name: 'cmp', sreg: 1, op: op === undefined ? 'eq' : 'neq', data })
      break
    }
    case 'named':
      if (type.host === true && sink.context.isInterval(compared.name)) expressions.push(byteorder)
      expressions.push({ name: 'lookup', set: compared.name, sreg: 1, ...inverted(op) })
      break
    case 'set':
      encodeSet(spec, op, compared.spans, sink)
      break
    case 'one':
      break
  }
}

function encodeSet(spec: SelectorSpec, op: MatchOp | undefined, spans: readonly Span[], sink: Sink): void {
  const { type } = spec
  const { expressions, sets } = sink
  const [only, ...more] = spans
  if (type.flags === true && only !== undefined && more.length === 0) {
    expressions.push({ name: 'cmp', sreg: 1, op: op === undefined ? 'eq' : 'neq', data: inOrder(type, only.from) })
    return
  }
  const interval = isInterval(spans)
  if (interval && type.host === true) expressions.push(byteorder)
  const keys = spans.map((span) => [span] as const)
  const elements = interval ? intervalElements(type, keys) : pointElements(type, keys)
  expressions.push({ name: 'lookup', set: '__set%d', setId: sets.length, sreg: 1, ...inverted(op) })
  sets.push({
    flags: interval ? ['anonymous', 'constant', 'interval'] : ['anonymous', 'constant'],
    ...{ keyType: type.number, keyLength: type.length },
    ...{
      size: interval ? expectedSize(elements, spans.length) : elements.length,
      userdata: noteOf(spec, { interval, verdicts: false }),
      elements,
    },
  })
}

const inverted = (op: MatchOp | undefined) => (op === undefined ? undefined : { flags: 1 })

function bitwise(mask: Uint8Array): Expression {
  return { name: 'bitwise', sreg: 1, dreg: 1, len: mask.length, mask, xor: new Uint8Array(mask.length) }
}
