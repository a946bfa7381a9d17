import { expect, test } from 'vitest'
import { healPace } from './heal-pace.ts'

test('five heals follow each other at once, further ones wait longer and longer, until it was quiet', () => {
  let now = 0
  const { next } = healPace(() => now)
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

test('a heal now and then never waits', () => {
  let now = 0
  const { next } = healPace(() => now)
  for (let times = 0; times < 100; times++) {
    expect(next()).toBe(0)
    now += 61_000
  }
})
