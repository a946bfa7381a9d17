// Constants of SHA-2 (FIPS 180-4), computed from roots of primes.

function primes(count: number): bigint[] {
  const found: bigint[] = []
  for (let candidate = 2n; found.length < count; candidate++) {
    if (found.every((prime) => candidate % prime !== 0n)) found.push(candidate)
  }
  return found
}

/** Computes an integer root: the largest integer whose power `power` is at most `value`. */
function root(value: bigint, power: bigint): bigint {
  let low = 0n
  let high = 1n << 140n
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    if (middle ** power <= value) low = middle
    else high = middle
  }
  return low
}

const fraction = (prime: bigint, power: bigint): bigint => root(prime << (64n * power), power) & 0xffff_ffff_ffff_ffffn

export const k64: readonly bigint[] = primes(80).map((prime) => fraction(prime, 3n))
export const h64: readonly bigint[] = primes(8).map((prime) => fraction(prime, 2n))

const high = (value: bigint): number => Number(value >> 32n)
export const k32 = Int32Array.from(k64.slice(0, 64), high)
export const h32 = Int32Array.from(h64, high)
