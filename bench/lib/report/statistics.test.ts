import { describe, expect, it } from 'vitest'
import { percentile, ratio, stats } from './statistics.ts'

describe('percentile', () => {
  it.each([
    ['the median of an odd number', [3, 1, 2], 0.5, 2],
    ['the median of an even number lies between', [4, 1, 2, 3], 0.5, 2.5],
    ['p99 of few is the largest', [1, 2, 3], 0.99, 3],
    ['p99 of 200 leaves two above', Array.from({ length: 200 }, (_, i) => i + 1), 0.99, 198],
  ])('%s', (_, values, share, expected) => {
    expect(percentile(values, share)).toBe(expected)
  })

  it('without values is NaN', () => {
    expect(percentile([], 0.5)).toBeNaN()
  })
})

describe('stats', () => {
  it('without samples show that it never happened', () => {
    expect(stats([])).toEqual({ runs: 0, median: Number.NaN, min: Number.NaN, max: Number.NaN })
  })
})

describe('ratio', () => {
  it('divides round by round, so that a slowing machine has no effect', () => {
    expect(ratio('x', [1, 2, 4, 8, 16], [2, 4, 8, 16, 32])).toEqual({ to: 'x', value: 0.5, low: 0.5, high: 0.5 })
  })

  it('divides by the median if the reference has fewer rounds, without a spread', () => {
    expect(ratio('x', [2, 4, 6, 8, 10], [2])).toEqual({ to: 'x', value: 3 })
  })

  it('has a smaller interval with more rounds', () => {
    const wide = (rounds: number): number => {
      const samples = Array.from({ length: rounds }, (_, i) => 1 + (i % 5) / 10)
      const found = ratio('x', samples, Array<number>(rounds).fill(1))
      return (found?.high ?? Number.NaN) - (found?.low ?? Number.NaN)
    }
    expect(wide(80)).toBeLessThan(wide(20) / 1.9)
  })

  it.each([
    ['something that never happened', [], [1, 2]],
    ['a reference that never happened', [1, 2], []],
    ['a reference of nothing', [1], [0]],
  ])('does not exist for %s', (_, samples, reference) => {
    expect(ratio('x', samples, reference)).toBeUndefined()
  })
})
