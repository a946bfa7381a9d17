import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { evil, fields } from '../../test/hostile.ts'
import { isIptablesError } from '../errors.ts'
import { canonical } from '../parse/canonical.ts'
import { tokenize } from '../parse/tokenize.ts'
import { ruleLine } from '../text/quote.ts'
import { restoreText } from '../text/restore-text.ts'
import { ruleArgs } from '../text/rule-args.ts'
import type { Rule } from './model.ts'

const targetOf = ({ target }: Rule) =>
  target.target === 'jump' ? target.chain : target.target === 'raw' ? target.name : target.target

describe.each(Object.entries(fields))('a hostile string in %s', (_, { build, tokens }) => {
  test('is refused, or remains one token of one line', () => {
    fc.assert(
      fc.property(evil, (text) => {
        let rule: Rule
        try {
          rule = build(text)
        } catch (error) {
          if (!isIptablesError(error) || error.code !== 'INVALID_RULE') throw error
          return
        }
        const args = ruleArgs(rule, 'ipv4')
        expect(args.length).toBeLessThanOrEqual(tokens)
        const line = ruleLine(args)
        expect(line).not.toMatch(/\p{Cc}/u)
        expect(tokenize(line).map((word) => word.text)).toEqual(args)
        const output = restoreText({ chains: [{ table: rule.table, name: 'A' }], rules: [rule] }, 'ipv4')
        expect(output.split('\n')).toHaveLength(5)
        // The target is unchanged: iptables reads no part of the value as an option.
        expect(canonical(tokenize(line), 'ipv4').target).toBe(targetOf(rule))
      }),
      { numRuns: 300 },
    )
  })
})
