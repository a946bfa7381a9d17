import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lineSplitter } from './line-splitter.ts'

test('the lines are the same for any chunks', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), fc.array(fc.nat(20)), (texts, cuts) => {
      const lines = texts.map((text) => text.replaceAll('\n', '')).filter((text) => text !== '')
      const bytes = Buffer.from(`${lines.join('\n')}${lines.length > 0 ? '\n' : ''}cut`)
      const seen: string[] = []
      const take = lineSplitter(1000, (line) => seen.push(line))
      let at = 0
      for (const cut of [...cuts, bytes.length]) {
        const chunk = Uint8Array.from(bytes.subarray(at, at + cut))
        take(chunk)
        chunk.fill(0)
        at += cut
      }
      expect(seen).toEqual(lines.map((line) => Buffer.from(line).toString()))
    }),
  )
}, 30_000)

test('a line without an end is rejected', () => {
  const take = lineSplitter(10, () => {})
  take(Buffer.from('12345\n1234567'))
  expect(() => take(Buffer.from('8901'))).toThrow('a line of more than 10 bytes')
})
