import { expect, test } from 'vitest'
import { healLimit } from './heal-limit.ts'

test('the first three heals of a file are at once, then five a second', () => {
  const { take } = healLimit(200)
  const at: number[] = []
  for (let now = 0; now <= 2000; now += 1) if (take('a', now, true) === 0) at.push(now)
  expect(at).toEqual([0, 1, 2, 200, 400, 600, 800, 1000, 1200, 1400, 1600, 1800, 2000])
})

test('the installation of a file is not counted among its heals', () => {
  const { take } = healLimit(200)
  expect(take('a', 0, false)).toBe(0)
  expect([1, 2, 3, 4].map((now) => take('a', now, true))).toEqual([0, 0, 0, 197])
})

test('how long to wait is said, and what was saved up is no more than three', () => {
  const { take } = healLimit(200)
  expect([0, 1, 2, 3].map((now) => take('a', now, true))).toEqual([0, 0, 0, 197])
  expect([10_000, 10_000, 10_000, 10_000].map((now) => take('a', now, true))).toEqual([0, 0, 0, 200])
  expect(take('b', 10_000, true)).toBe(0)
})

test('without a gap nothing waits', () => {
  const { take } = healLimit(0)
  expect([0, 0, 0, 0, 0].map((now) => take('a', now, true))).toEqual([0, 0, 0, 0, 0])
})

test('rewrites that follow each other closely are counted', () => {
  const { take, streak } = healLimit(0)
  for (const now of [0, 10, 20, 4000]) take('a', now, true)
  expect(streak('a')).toBe(3)
  take('a', 9001, true)
  expect(streak('a')).toBe(0)
})
