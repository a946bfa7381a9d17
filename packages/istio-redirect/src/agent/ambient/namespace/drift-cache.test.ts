import { expect, test } from 'vitest'
import { driftCache } from './drift-cache.ts'

test('a clean check is valid for the next nine checks with the same mark', () => {
  const looks = driftCache()
  expect(looks.isClean('a', 'one')).toBe(false)
  looks.wasClean('a', 'one')
  const nine = Array.from({ length: 9 }, () => looks.isClean('a', 'one'))
  expect(nine).toEqual(nine.map(() => true))
  expect(looks.isClean('a', 'one')).toBe(false)
})

test.each([
  ['another mark', 'one', 'two'],
  ['no mark', undefined, undefined],
])('with %s, a check is needed', (_, before, now) => {
  const looks = driftCache()
  looks.wasClean('a', before)
  expect(looks.isClean('a', now)).toBe(false)
})

test('rules count as unchanged as long as the mark is the same, without a limit of checks', () => {
  const looks = driftCache()
  expect([looks.isSame('a', 'one'), looks.isSame('a', undefined)]).toEqual([false, false])
  looks.wasClean('a', 'one')
  for (let look = 0; look < 20; look += 1) looks.isClean('a', 'one')
  expect([looks.isSame('a', 'one'), looks.isSame('a', 'two'), looks.isSame('a', undefined)]).toEqual([
    true,
    false,
    false,
  ])
})

test('a forgotten pod and another pod need a check', () => {
  const looks = driftCache()
  looks.wasClean('a', 'one')
  expect(looks.isClean('b', 'one')).toBe(false)
  looks.forget('a')
  expect(looks.isClean('a', 'one')).toBe(false)
})
