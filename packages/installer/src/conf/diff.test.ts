import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diffLines, formatDiff } from './diff.ts'

test('diffLines returns removed and added lines', () => {
  expect(formatDiff(diffLines('a\nb\nc\n', 'a\nx\nc\n'))).toBe(' a\n-b\n+x\n c')
  expect(formatDiff(diffLines(undefined, 'a\n'))).toBe('+a')
  expect(formatDiff(diffLines('a\n', undefined))).toBe('-a')
  expect(formatDiff(diffLines('a\n', 'a\n'))).toBe('')
})

test('lines far from a change are omitted', () => {
  const lines = Array.from({ length: 20 }, (_, index) => `${index}`)
  const changed = lines.with(1, 'x').with(18, 'y')
  expect(formatDiff(diffLines(lines.join('\n'), changed.join('\n')), 1)).toBe(' 0\n-1\n+x\n 2\n@@\n 17\n-18\n+y\n 19')
})

test('kept and removed lines are the old text, kept and added lines the new text', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 }).map((lines) => lines.join('\n'))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after)
      const side = (op: string) =>
        lines
          .filter((line) => line.op !== op)
          .map((line) => line.text)
          .join('\n')
      expect(side('+')).toBe(before)
      expect(side('-')).toBe(after)
    }),
  )
})
