import { expect, test } from 'vitest'
import { healLimit } from './heal-limit.ts'

test('the first three heals of a file are immediate, then five a second', () => {
  const { take } = healLimit(200)
  const at: number[] = []
  for (let now = 0; now <= 2000; now += 1) if (take('a', now, true) === 0) at.push(now)
  expect(at).toEqual([0, 1, 2, 200, 400, 600, 800, 1000, 1200, 1400, 1600, 1800, 2000])
})

test('the installation of a file does not count as a heal', () => {
  const { take } = healLimit(200)
  expect(take('a', 0, false)).toBe(0)
  expect([1, 2, 3, 4].map((now) => take('a', now, true))).toEqual([0, 0, 0, 197])
})

test('the waiting time is returned, and at most three heals are saved up', () => {
  const { take } = healLimit(200)
  expect([0, 1, 2, 3].map((now) => take('a', now, true))).toEqual([0, 0, 0, 197])
  expect([10_000, 10_000, 10_000, 10_000].map((now) => take('a', now, true))).toEqual([0, 0, 0, 200])
  expect(take('b', 10_000, true)).toBe(0)
})

test('without a gap no heal waits', () => {
  const { take } = healLimit(0)
  expect([0, 0, 0, 0, 0].map((now) => take('a', now, true))).toEqual([0, 0, 0, 0, 0])
})

test('rewrites in quick succession are counted', () => {
  const { take, streak } = healLimit(0)
  for (const now of [0, 10, 20, 4000]) take('a', now, true)
  expect(streak('a')).toBe(3)
  take('a', 9001, true)
  expect(streak('a')).toBe(0)
})
