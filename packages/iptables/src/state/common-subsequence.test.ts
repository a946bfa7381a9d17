import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commonSubsequence } from './common-subsequence.ts'

const keys = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 12 })

test('pairs as many equal items as possible, in ascending order', () => {
  fc.assert(
    fc.property(keys, keys, (a, b) => {
      const pairs = commonSubsequence(a, b)
      for (const [i, [x, y]] of pairs.entries()) {
        expect(a[x]).toBe(b[y])
        const [px, py] = pairs[i - 1] ?? [-1, -1]
        expect(x > px && y > py).toBe(true)
      }
      expect(pairs.length).toBe(longest(a, b))
    }),
    { numRuns: 2000 },
  )
})

test('handles two chains with 200 000 different rules each', () => {
  const all = (offset: number) => Array.from({ length: 200_000 }, (_, i) => String((i * 7 + offset) % 400_000))
  const pairs = commonSubsequence(all(0), ['x', ...all(0).slice(5)].toReversed())
  expect(pairs.length).toBeGreaterThan(0)
})

function longest([a, ...as]: readonly string[], b: readonly string[]): number {
  if (a === undefined || b.length === 0) return 0
  const at = b.indexOf(a)
  const without = longest(as, b)
  return at === -1 ? without : Math.max(without, 1 + longest(as, b.slice(at + 1)))
}
