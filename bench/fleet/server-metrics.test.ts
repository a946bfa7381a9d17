import { expect, test } from 'vitest'
import { sum } from './server-metrics.ts'

test('a metric is the sum over its labels, and no other metric with the same beginning', () => {
  const text = '# TYPE a_sum counter\na_sum{verb="LIST"} 3\na_sum{verb="GET"} 1.5e1\na_sum_other 7\nb 2\n'
  expect(sum(text, 'a_sum')).toBe(18)
  expect(sum(text, 'b')).toBe(2)
  expect(sum(text, 'c')).toBe(0)
})
