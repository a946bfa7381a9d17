import { describe, expect, it } from 'vitest'
import { judge, type Series } from './judge.ts'

/** A sample every ten seconds for an hour. */
const hour = (value: (minute: number, index: number) => number): Series =>
  Array.from({ length: 361 }, (_, index) => ({ at: index * 10_000, value: value(index / 6, index) }))

/** Pseudo-random value between -1 and 1, without a trend. */
const noise = (index: number): number => (((Math.imul(index + 1, 2654435761) >>> 8) % 2001) - 1000) / 1000

const memory = { share: 0.02, least: 1 }
const count = { share: 0, least: 1 }

describe('A line over the last two thirds', () => {
  it('is flat for constant values', () => {
    expect(
      judge(
        hour(() => 80),
        memory,
      ),
    ).toEqual({ mean: 80, growth: 0, low: 0, high: 0, allowed: 1.6, flat: true })
  })

  it('ignores the first third', () => {
    expect(
      judge(
        hour((minute) => 80 + Math.max(0, minute - 19.9) * 0 - Math.max(0, 20 - minute)),
        memory,
      ).growth,
    ).toBe(0)
  })

  it('finds a slow leak below the noise of a heap', () => {
    const leak = judge(
      hour((minute, index) => 80 + minute * 0.1 + 4 * noise(index)),
      memory,
    )
    expect(leak.growth).toBeGreaterThan(3)
    expect(leak.growth).toBeLessThan(5)
    expect(leak.low).toBeGreaterThan(0)
    expect(leak.flat).toBe(false)
  })

  it('is flat for a heap that fills and is collected', () => {
    const heap = judge(
      hour((_, index) => 80 + (index % 13)),
      memory,
    )
    expect(heap.flat).toBe(true)
    expect(heap.high - heap.low).toBeLessThan(4)
  })

  it('is flat for noise', () => {
    const { flat, low, high } = judge(
      hour((_, index) => 80 + 4 * noise(index)),
      memory,
    )
    expect(flat).toBe(true)
    expect(low).toBeLessThan(0)
    expect(high).toBeGreaterThan(0)
  })

  it('is flat for a significant but allowed rise, and for a fall', () => {
    expect(
      judge(
        hour((minute) => 80 + minute * 0.02),
        memory,
      ).flat,
    ).toBe(true)
    expect(
      judge(
        hour((minute) => 80 - minute),
        memory,
      ).flat,
    ).toBe(true)
  })

  it('finds two descriptors that are not closed', () => {
    expect(
      judge(
        hour((minute) => 40 + Math.floor(minute / 15)),
        count,
      ).flat,
    ).toBe(false)
  })

  it('gives no verdict for fewer than three samples', () => {
    expect(judge(hour((minute) => minute).slice(0, 2), count)).toMatchObject({ growth: 0, flat: true })
  })
})
