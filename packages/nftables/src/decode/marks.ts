import type { MarkValue } from '../rules/statement.ts'
import type { Expression } from '../wire/expressions/expression-types.ts'
import { type Reader, type Reading, read } from './reading.ts'

/** Decodes statements that set a mark, a zone or nftrace. */
export const readSetting: Reader = (reading, at) => {
  const source = sourceAt(reading, at)
  const target = source === undefined ? undefined : reading.expressions[at + source.length]
  if (source === undefined || target === undefined) return undefined
  const { value, length } = source
  const end = length + 1
  switch (propertySetBy(target)) {
    case 'mark':
      return is32(value) ? read(end, { kind: 'mark set', to: markOf(value) }) : undefined
    case 'ct mark':
      return is32(value) ? read(end, { kind: 'ct mark set', to: markOf(value) }) : undefined
    case 'ct zone':
      return value instanceof Uint8Array && value.length === 2
        ? read(end, { kind: 'ct zone set', to: number(value) })
        : undefined
    case 'nftrace':
      return value instanceof Uint8Array && value.length === 1 && (value[0] === 0 || value[0] === 1)
        ? read(end, { kind: 'nftrace set', to: value[0] })
        : undefined
    default:
      return undefined
  }
}

/** Property that an expression sets to the value of register 1: a mark, a zone or nftrace. */
function propertySetBy(expression: Expression): 'mark' | 'ct mark' | 'ct zone' | 'nftrace' | undefined {
  if ((expression.name !== 'meta' && expression.name !== 'ct') || expression.sreg !== 1) return undefined
  if (expression.dreg !== undefined) return undefined
  if (expression.name === 'meta') {
    return expression.key === 'mark' || expression.key === 'nftrace' ? expression.key : undefined
  }
  if (expression.direction !== undefined) return undefined
  return expression.key === 'mark' || expression.key === 'zone' ? `ct ${expression.key}` : undefined
}

type MarkSource = Exclude<MarkValue, number>

/** Value that expressions load into register 1: bytes, or another mark. */
function sourceAt(
  { expressions }: Reading,
  at: number,
): { value: Uint8Array | MarkSource; length: number } | undefined {
  const first = expressions[at]
  if (first?.name === 'immediate') {
    return first.dreg === 1 && first.data instanceof Uint8Array ? { value: first.data, length: 1 } : undefined
  }
  if ((first?.name !== 'meta' && first?.name !== 'ct') || first.key !== 'mark' || first.dreg !== 1) return undefined
  if (first.sreg !== undefined || (first.name === 'ct' && first.direction !== undefined)) return undefined
  const of = first.name === 'meta' ? 'mark' : 'ct mark'
  const bits = expressions[at + 1]
  if (bits?.name !== 'bitwise') return { value: { of }, length: 1 }
  const { sreg, dreg, len, op, mask, xor, data } = bits
  if (sreg !== 1 || dreg !== 1 || len !== 4 || op !== undefined || data !== undefined) return undefined
  if (mask?.length !== 4 || xor?.length !== 4) return undefined
  const and = number(mask)
  const xorBits = number(xor)
  // Does not decode a bitwise operation that changes no bit. The data model has no form for it.
  if (and === ALL && xorBits === 0) return undefined
  const value = { of, ...(and === ALL ? {} : { and }), ...(xorBits === 0 ? {} : { xor: xorBits }) } as const
  return { value, length: 2 }
}

const ALL = 0xffff_ffff

const is32 = (value: Uint8Array | MarkSource): boolean => !(value instanceof Uint8Array) || value.length === 4

const markOf = (value: Uint8Array | MarkSource): MarkValue => (value instanceof Uint8Array ? number(value) : value)

/** Converts little-endian bytes to a number. */
const number = (bytes: Uint8Array): number => bytes.reduceRight((sum, byte) => sum * 256 + byte, 0)
