import { expect, test } from 'vitest'
import { targetOf } from './target.ts'

test.each([
  [undefined, '/', ''],
  ['/readyz?verbose', '/readyz', 'verbose='],
  ['http://node:8000/readyz?a=b?c', '/readyz', 'a=b%3Fc'],
  ['http://[?verbose', '/', 'verbose='],
  ['//[', '//[', ''],
  ['*', '*', ''],
  ['/%zz?%', '/%zz', '%25='],
])('%j is the path %s with the query %j', (url, path, query) => {
  const target = targetOf(url === undefined ? {} : { url })
  expect([target.path, target.query.toString()]).toEqual([path, query])
})
