import { expect, test } from 'vitest'
import { repairBackoff } from './repair-backoff.ts'

test('five heals in a row are immediate, then the pauses grow until a minute is quiet', () => {
  let now = 0
  const { next } = repairBackoff(() => now)
  const pauses = Array.from({ length: 12 }, () => {
    const pause = next()
    now += pause + 10
    return pause
  })
  expect(pauses).toEqual([0, 0, 0, 0, 0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  now += 59_000
  expect(next()).toBe(30_000)
  now += 30_000 + 61_000
  expect(next()).toBe(0)
})

test('rare heals never wait', () => {
  let now = 0
  const { next } = repairBackoff(() => now)
  for (let times = 0; times < 100; times++) {
    expect(next()).toBe(0)
    now += 61_000
  }
})
