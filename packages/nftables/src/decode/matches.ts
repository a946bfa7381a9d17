import { type DataType, dataTypes, last, type Plain } from '../rules/data-type.ts'
import { selectors } from '../rules/selector.ts'
import { onesBefore } from '../rules/spans.ts'
import type { Match, MatchOp, Statement } from '../rules/statement.ts'
import type { Operand, Selector } from '../rules/values.ts'
import type { Expression, Expressions } from '../wire/expressions/expression-types.ts'
import { orderedValue, valueIn } from './keys.ts'
import { type Loaded, loadedBy } from './loads.ts'
import { lookedUp } from './lookups.ts'
import { type Read, type Reader, type Reading, read } from './reading.ts'

/** Decodes a condition or a verdict map of a rule. */
export const readMatch: Reader = (reading, at) => {
  const { expressions, context } = reading
  const first = expressions[at]
  const loaded = first === undefined ? undefined : loadedBy(first, context)
  const next = expressions[at + 1]
  const found = loaded === undefined || next === undefined ? undefined : compared(reading, at + 1, next, loaded)
  if (found === undefined) return undefined
  for (const statement of found.statements) note(statement, reading)
  return { statements: found.statements, length: found.length + 1 }
}

/** Records the network or transport protocol that a decoded condition checks, for later statements of the rule. */
function note(statement: Statement, { context }: Reading): void {
  if ('op' in statement || !('value' in statement)) return
  const { kind, value } = statement
  if (kind === 'nfproto' && typeof value === 'string') context.network = value === 'ipv4' ? 'ip' : 'ip6'
  const isProtocol = kind === 'l4proto' || kind === 'ip protocol' || kind === 'ip6 nexthdr'
  if (isProtocol && typeof value !== 'object') context.transport = value
}

function compared(reading: Reading, at: number, expression: Expression, loaded: Loaded): Read | undefined {
  switch (expression.name) {
    case 'cmp':
      return expression.sreg === 1 ? byValue(reading, at, expression, loaded) : undefined
    case 'range':
      return selectors[loaded.selector].type.host === true ? undefined : outside(expression, loaded, 1)
    case 'lookup':
      return lookedUp(reading, expression, loaded, false)
    case 'bitwise':
      return masked(reading, at, expression, loaded)
    case 'byteorder':
      return turned(reading, at, expression, loaded)
    default:
      return undefined
  }
}

const matchOps = { eq: undefined, neq: '!=', lt: '<', lte: '<=', gt: '>', gte: '>=' } as const

/** Creates a condition. The cast is safe, because `value` has the field's data type. */
const match = (kind: Selector, value: Operand<Plain>, op?: MatchOp): Match =>
  ({ kind, ...(op === undefined ? {} : { op }), value }) as Match

function byValue(reading: Reading, at: number, { op, data }: Expressions['cmp'], loaded: Loaded): Read | undefined {
  const { selector, bytes, ports } = loaded
  const { type } = selectors[selector]
  const word = matchOps[op]
  const isEquality = op === 'eq' || op === 'neq'
  if (ports === true) return op === 'eq' ? bothPorts(selector, data) : undefined
  if (bytes !== undefined || (type === dataTypes.ifname && data.length < type.length)) {
    // A comparison of only a field's first bytes tests for a network, or for a prefix of interface names.
    const isWhole = bytes === undefined ? data.length > 0 && !data.includes(0) : data.length === bytes
    const begin = isWhole && isEquality ? beginning(type, data, 8 * data.length) : undefined
    return begin === undefined ? undefined : read(1, match(selector, begin, word))
  }
  // Represents equality of flags as a set of one value: the packet has exactly these flags.
  if (type.flags === true && op === 'eq') {
    const exact = valueIn(type, data)
    return exact === undefined ? undefined : read(1, match(selector, { set: [exact] }))
  }
  return type.host === true && !isEquality ? undefined : ordered(reading, at, loaded, 1)
}

/** Decodes a comparison by equality or size, or two comparisons that form a range. */
function ordered({ expressions }: Reading, at: number, { selector }: Loaded, length: number): Read | undefined {
  const { type } = selectors[selector]
  const from = expressions[at]
  const to = expressions[at + 1]
  if (from?.name !== 'cmp' || from.sreg !== 1 || from.data.length !== type.length) return undefined
  const isEquality = from.op === 'eq' || from.op === 'neq'
  if (!isEquality && type.ordered !== true) return undefined
  const value = isEquality ? valueIn(type, from.data) : orderedValue(type, from.data)
  if (value === undefined) return undefined
  if (from.op === 'gte' && to?.name === 'cmp' && to.op === 'lte' && to.sreg === 1) {
    const end = to.data.length === type.length ? orderedValue(type, to.data) : undefined
    return end === undefined ? undefined : read(length + 1, match(selector, { from: value, to: end }))
  }
  return read(length, match(selector, value, matchOps[from.op]))
}

/** Decodes a comparison of source and destination port, which nft encodes as one comparison of four bytes. */
function bothPorts(sport: Selector, data: Uint8Array): Read | undefined {
  const type = dataTypes.inet_service
  const source = data.length === 4 ? valueIn(type, data.subarray(0, 2)) : undefined
  const target = valueIn(type, data.subarray(2))
  if (source === undefined || target === undefined) return undefined
  const dport = sport === 'tcp sport' ? 'tcp dport' : sport === 'udp sport' ? 'udp dport' : 'th dport'
  return read(1, match(sport, source), match(dport, target))
}

/** Decodes a `range` expression, which nft uses for "not in the range". */
function outside({ sreg, op, from, to }: Expressions['range'], loaded: Loaded, length: number): Read | undefined {
  const { selector, bytes, ports } = loaded
  const { type } = selectors[selector]
  if (sreg !== 1 || op !== 'neq' || type.ordered !== true || bytes !== undefined || ports !== undefined)
    return undefined
  if (from.length !== type.length || to.length !== type.length) return undefined
  const first = orderedValue(type, from)
  const end = orderedValue(type, to)
  return first === undefined || end === undefined
    ? undefined
    : read(length, match(selector, { from: first, to: end }, '!='))
}

/** Decodes a comparison of selected bits: a bitwise AND with a mask, then a comparison with a value. */
function masked(reading: Reading, at: number, bits: Expressions['bitwise'], loaded: Loaded): Read | undefined {
  const { selector, bytes, ports } = loaded
  const { type } = selectors[selector]
  const compare = reading.expressions[at + 1]
  if (bytes !== undefined || ports !== undefined || type === dataTypes.ifname) return undefined
  if (compare?.name !== 'cmp' || compare.sreg !== 1 || compare.data.length !== type.length) return undefined
  if (!isMask(bits, type.length) || (compare.op !== 'eq' && compare.op !== 'neq')) return undefined
  const { mask } = bits
  const { data } = compare
  const word = matchOps[compare.op]
  if (type.flags === true && compare.op === 'neq' && isZero(data)) {
    const any = valueIn(type, mask)
    return any === undefined ? undefined : read(2, match(selector, any))
  }
  // Reads a network: the mask has only leading one bits, and the value has no bits outside the mask.
  const length = data.every((byte, i) => (byte & ~(mask[i] ?? 0)) === 0) ? onesBefore(mask) : undefined
  if (type.networks === true && length !== undefined) {
    const network = beginning(type, data, length)
    return network === undefined ? undefined : read(2, match(selector, network, word))
  }
  const value = maskValue(type, data)
  const kept = maskValue(type, mask)
  // The type cast is safe, because value and mask have the data type of `selector`.
  const operand = { value, mask: kept } as Operand<Plain>
  return value === undefined || kept === undefined ? undefined : read(2, match(selector, operand, word))
}

/** Converts a masked comparison's value or mask. Zero flags become an empty list. */
const maskValue = (type: DataType, bytes: Uint8Array): Plain | undefined =>
  type.flags === true && isZero(bytes) ? [] : valueIn(type, bytes)

/** True for a bitwise AND of register 1 with a mask, if the result stays in register 1. */
function isMask(
  bits: Expressions['bitwise'],
  length: number,
): bits is Expressions['bitwise'] & { readonly mask: Uint8Array } {
  const { sreg, dreg, len, op, mask, xor, data } = bits
  const isHere = sreg === 1 && dreg === 1 && len === length && op === undefined && data === undefined
  return isHere && mask?.length === length && xor?.length === length && isZero(xor)
}

const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0)

/** Converts leading bits to a network, or to a prefix of interface names. */
function beginning(type: DataType, data: Uint8Array, bits: number): Plain | undefined {
  const from = new Uint8Array(type.length)
  from.set(data)
  const value = type.read({ from, to: last(from, bits), bits })
  const again = value === undefined ? undefined : type.write(value)
  return again?.bits === bits && Buffer.compare(again.from, from) === 0 ? value : undefined
}

/** Decodes a comparison by size, for which nft converts the value to network byte order. */
function turned(reading: Reading, at: number, order: Expressions['byteorder'], loaded: Loaded): Read | undefined {
  const { sreg, dreg, op, len, size } = order
  const { type } = selectors[loaded.selector]
  if (sreg !== 1 || dreg !== 1 || op !== 'hton' || len !== 4 || size !== 4 || type.host !== true) return undefined
  const next = reading.expressions[at + 1]
  const found =
    next?.name === 'range'
      ? outside(next, loaded, 1)
      : next?.name === 'lookup'
        ? lookedUp(reading, next, loaded, true)
        : next?.name === 'cmp' && next.op !== 'eq' && next.op !== 'neq'
          ? ordered(reading, at + 1, loaded, 1)
          : undefined
  return found && { statements: found.statements, length: found.length + 1 }
}
