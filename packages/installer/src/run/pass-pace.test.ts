import { expect, test } from 'vitest'
import { newPassPace } from './pass-pace.ts'

/** The pauses after passes that end so many milliseconds apart. */
function gaps(passes: number, apart: number, start = 0, pace = newPassPace()): number[] {
  return Array.from({ length: passes }, (_, index) => pace.gapAfter(start + index * apart))
}

test('the first five passes of a second follow each other at once, then there are 4 ms between two', () => {
  expect(gaps(10, 1)).toEqual([0, 0, 0, 0, 0, 4, 4, 4, 4, 4])
})

test('when somebody writes without a pause, 25 ms from the 51st pass of a second on', () => {
  expect(gaps(60, 5)).toEqual([...Array(5).fill(0), ...Array(45).fill(4), ...Array(10).fill(25)])
})

test('a second without passes, and they follow each other at once again', () => {
  const pace = newPassPace()
  expect(gaps(51, 1, 0, pace).at(-1)).toBe(25)
  expect(gaps(6, 1, 1051, pace)).toEqual([0, 0, 0, 0, 0, 4])
})

test('passes that are seldom are never delayed', () => {
  expect(new Set(gaps(100, 201))).toEqual(new Set([0]))
})
