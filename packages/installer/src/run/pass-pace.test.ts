import { expect, test } from 'vitest'
import { newPassPace } from './pass-pace.ts'

/** Pauses after passes that end at that distance in milliseconds. */
function gaps(passes: number, apart: number, start = 0, pace = newPassPace()): number[] {
  return Array.from({ length: passes }, (_, index) => pace.gapAfter(start + index * apart))
}

test('the first five passes of a second have no pause, later ones 4 ms', () => {
  expect(gaps(10, 1)).toEqual([0, 0, 0, 0, 0, 4, 4, 4, 4, 4])
})

test('from the 51st pass of a second on the pause is 25 ms', () => {
  expect(gaps(60, 5)).toEqual([...Array(5).fill(0), ...Array(45).fill(4), ...Array(10).fill(25)])
})

test('after a second without passes there is no pause again', () => {
  const pace = newPassPace()
  expect(gaps(51, 1, 0, pace).at(-1)).toBe(25)
  expect(gaps(6, 1, 1051, pace)).toEqual([0, 0, 0, 0, 0, 4])
})

test('infrequent passes have no pause', () => {
  expect(new Set(gaps(100, 201))).toEqual(new Set([0]))
})
