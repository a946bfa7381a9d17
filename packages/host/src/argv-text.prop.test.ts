import fc from 'fast-check'
import { expect, test } from 'vitest'
import { argvText } from './argv-text.ts'

test('any arguments are printed as one line', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (argv) => {
      expect(argvText(argv)).not.toMatch(/[\n\r\0]/)
    }),
  )
}, 30_000)
