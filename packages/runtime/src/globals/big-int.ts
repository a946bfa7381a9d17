import { define } from '../define.ts'

// QuickJS 2025.04.26: `BigInt.asUintN` does not mask numbers of its full width, and `toString` with a radix that is a
// power of two writes a leading zero where the highest bit of a word is set.

const engineText = BigInt.prototype.toString

const repaired = {
  asUintN(bits: number, value: bigint): bigint {
    const modulus = 1n << BigInt(bits)
    const rest = BigInt(value) % modulus
    return rest < 0n ? rest + modulus : rest
  },

  toString(this: bigint, radix?: number): string {
    const text = engineText.call(this, radix)
    return radix === undefined || radix === 10 ? text : text.replace(/^(-?)0+(?=.)/, '$1')
  },
}

define(BigInt, 'asUintN', repaired.asUintN)
define(BigInt.prototype, 'toString', repaired.toString)
