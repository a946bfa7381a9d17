import { expect, test } from 'vitest'
import { backoffMs } from './backoff.ts'

test('pauses double from 1 s to 30 s, plus a random part of at most the same length', () => {
  const failures = [1, 2, 3, 4, 5, 6, 7, 1000]
  expect(failures.map((count) => backoffMs({ retryAfterMs: undefined }, count, 0))).toEqual([
    1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000,
  ])
  expect(failures.map((count) => backoffMs({ retryAfterMs: undefined }, count, 1))).toEqual([
    2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000,
  ])
})

test.each([
  [5000, 0, 5000],
  [5000, 1, 6000],
  [500, 0, 1000],
  [600_000, 0, 60_000],
])('Retry-After of %d ms is respected, spread %d: %d ms', (retryAfterMs, spread, ms) => {
  expect(backoffMs({ retryAfterMs }, 1, spread)).toBe(ms)
})
