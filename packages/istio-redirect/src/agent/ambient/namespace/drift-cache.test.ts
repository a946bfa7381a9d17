import { expect, test } from 'vitest'
import { driftCache } from './drift-cache.ts'

test('a look that was clean stands for the next nine, as long as the mark is the same', () => {
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
])('%s says nothing', (_, before, now) => {
  const looks = driftCache()
  looks.wasClean('a', before)
  expect(looks.isClean('a', now)).toBe(false)
})

test('the rules are the same until the mark is another one, however often was looked', () => {
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

test('what is forgotten, or another pod, is looked at', () => {
  const looks = driftCache()
  looks.wasClean('a', 'one')
  expect(looks.isClean('b', 'one')).toBe(false)
  looks.forget('a')
  expect(looks.isClean('a', 'one')).toBe(false)
})
