import { define } from '../define.ts'

// QuickJS 2025.04.26: `BigInt.asUintN` does not mask numbers of its full width, and `toString` with a radix that is a
// power of two writes a leading zero where the highest bit of a word is set.

define(BigInt, 'asUintN', function asUintN(bits: number, value: bigint): bigint {
  const modulus = 1n << BigInt(bits)
  const rest = BigInt(value) % modulus
  return rest < 0n ? rest + modulus : rest
})

const engineText = BigInt.prototype.toString

define(BigInt.prototype, 'toString', function toString(this: bigint, radix?: number): string {
  const text = engineText.call(this, radix)
  return radix === undefined || radix === 10 ? text : text.replace(/^(-?)0+(?=.)/, '$1')
})
