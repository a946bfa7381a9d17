import { describe, expect, test } from 'vitest'
import { retryPause } from './retry-pause.ts'

describe('the pause before a retry', () => {
  test('grows with the failures of the key', () => {
    const pause = retryPause(() => 0)
    expect([1, 2, 3, 18, 19, 40].map(pause)).toEqual([5, 10, 20, 655_360, 1_000_000, 1_000_000])
  })

  test('allows ten retries a second in all, after a burst of a hundred', () => {
    let now = 0
    const pause = retryPause(() => now)
    for (let made = 0; made < 100; made += 1) expect(pause(1)).toBe(5)
    expect(pause(1)).toBe(100)
    expect(pause(1)).toBe(200)
    now = 10_000
    expect(pause(1)).toBe(5)
  })
})
