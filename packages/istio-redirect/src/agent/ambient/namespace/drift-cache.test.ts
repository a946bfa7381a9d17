import { expect, test } from 'vitest'
import { driftCache } from './drift-cache.ts'

test('a clean check is valid for the next nine checks with the same mark', () => {
  const cache = driftCache()
  expect(cache.isClean('a', 'one')).toBe(false)
  cache.remember('a', 'one')
  const nine = Array.from({ length: 9 }, () => cache.isClean('a', 'one'))
  expect(nine).toEqual(nine.map(() => true))
  expect(cache.isClean('a', 'one')).toBe(false)
})

test.each([
  ['another mark', 'one', 'two'],
  ['no mark', undefined, undefined],
])('with %s, a check is needed', (_, before, now) => {
  const cache = driftCache()
  cache.remember('a', before)
  expect(cache.isClean('a', now)).toBe(false)
})

test('rules count as unchanged as long as the mark is the same, without a limit of checks', () => {
  const cache = driftCache()
  expect([cache.isSame('a', 'one'), cache.isSame('a', undefined)]).toEqual([false, false])
  cache.remember('a', 'one')
  for (let check = 0; check < 20; check += 1) cache.isClean('a', 'one')
  expect([cache.isSame('a', 'one'), cache.isSame('a', 'two'), cache.isSame('a', undefined)]).toEqual([
    true,
    false,
    false,
  ])
})

test('a forgotten pod and another pod need a check', () => {
  const cache = driftCache()
  cache.remember('a', 'one')
  expect(cache.isClean('b', 'one')).toBe(false)
  cache.forget('a')
  expect(cache.isClean('a', 'one')).toBe(false)
})
