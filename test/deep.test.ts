import { expect, test } from 'vitest'
import { sample } from './deep.ts'

const cases = ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']
const drawn = (seed: number) => sample(cases, (one) => one[0], { deep: false, seed })

test('a sample has one case of each class, and is equal for equal seeds', () => {
  for (let seed = 0; seed < 10; seed++) {
    expect(drawn(seed).map((one) => one[0])).toEqual(['a', 'b', 'c'])
    expect(drawn(seed)).toEqual(drawn(seed))
  }
})

test('every case is in the sample of some seed', () => {
  const seeds = Array.from({ length: 6 }, (_, seed) => seed)
  expect([...new Set(seeds.flatMap(drawn))].sort()).toEqual(cases)
})

test('all cases run if all are requested', () => {
  expect(sample(cases, (one) => one[0], { deep: true })).toEqual(cases)
})
