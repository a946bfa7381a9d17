import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { argvText } from './argv-text.ts'

test('a shell parses a printed command line without control characters to the same arguments', () => {
  const argument = fc.string({ unit: fc.constantFrom(...'ab \'"$`\\!*?#&|;<>()[]{}~=-/') })
  fc.assert(
    fc.property(fc.array(argument, { minLength: 1, maxLength: 4 }), (args) => {
      const out = execFileSync('bash', ['-c', `printf '%s\\n' ${argvText(args)}`], { encoding: 'utf8' })
      expect(out).toBe(args.map((each) => `${each}\n`).join(''))
    }),
    { numRuns: 40 },
  )
})
