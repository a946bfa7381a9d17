import { expect, test } from 'vitest'
import { errnoOf, messageOf } from './thrown.ts'

test.each([
  [new TypeError('no'), 'no'],
  ['text', 'text'],
  [undefined, 'undefined'],
  [null, 'null'],
  [{ message: 'of no error' }, '[object Object]'],
])('the message of %j is %j', (thrown, message) => {
  expect(messageOf(thrown)).toBe(message)
})

test.each([
  [Object.assign(new Error('disk full'), { code: 'ENOSPC' }), 'ENOSPC'],
  [Object.assign(new Error('of the specification'), { code: 7 }), undefined],
  [new Error('without a code'), undefined],
  [{ code: 'ENOSPC' }, undefined],
  [undefined, undefined],
])('the errno of %j is %j', (thrown, errno) => {
  expect(errnoOf(thrown)).toBe(errno)
})
