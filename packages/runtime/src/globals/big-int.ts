import { define } from '../define.ts'

// Replaces `BigInt.asUintN` of QuickJS 2025.04.26, which returns some large numbers without truncating them.
const repaired = {
  asUintN(bits: number, value: bigint): bigint {
    const modulus = 1n << BigInt(bits)
    const rest = BigInt(value) % modulus
    return rest < 0n ? rest + modulus : rest
  },
}

define(BigInt, 'asUintN', repaired.asUintN)
